import { errorMessage } from "../../../core/error-message.ts";
import type { RunObserver } from "../../../engine/journal/run-event.ts";

/** Telemetry that sends what it has when it is closed. */
export interface Telemetry {
  readonly observer: RunObserver;
  /** Why something could not be sent; null if all was. */
  close(): Promise<string | null>;
}

/** The packages that `--otel` needs, and how to get them. */
const OTEL_PACKAGES = [
  "@opentelemetry/api",
  "@opentelemetry/resources",
  "@opentelemetry/sdk-trace",
  "@opentelemetry/sdk-metrics",
  "@opentelemetry/exporter-trace-otlp-http",
  "@opentelemetry/exporter-metrics-otlp-http",
] as const;

/** A package of OpenTelemetry is not installed. */
export class MissingTelemetry extends Error {}

/**
 * Sends traces and metrics over OTLP to where the standard variables (`OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_EXPORTER_OTLP_HEADERS`, …) say, under the name and
 * with the attributes of `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES`. The packages are optional: throws `MissingTelemetry` if one is not installed.
 */
export async function openTelemetryFromEnvironment(): Promise<Telemetry> {
  try {
    const [api, sdk, { openTelemetry }, { SCHEMA }] = await Promise.all([
      import("@opentelemetry/api"),
      loadSdk(),
      import("./open-telemetry.ts"),
      import("./attributes.ts"),
    ]);
    let problem: string | null = null;
    const ignore = (): void => {};
    const error = (message: string): void => {
      problem ??= messageIn(message);
    };
    const resource = await resourceOf(sdk.resources);
    const provider = tracerProvider(sdk, resource);
    const meters = meterProvider(sdk, resource);
    // Errors of the exporters are reported to this logger only. Before, version 1 complains that it knows no exporter by name.
    api.diag.setLogger({ error, warn: ignore, info: ignore, debug: ignore, verbose: ignore });
    api.metrics.setGlobalMeterProvider(meters);
    return {
      observer: openTelemetry({ tracer: provider.getTracer("elenchus", undefined, SCHEMA) }),
      close: async () => {
        // Version 1 does not send the last metrics when it shuts down.
        const flushed = "addMetricReader" in meters ? meters.forceFlush() : Promise.resolve();
        const closed = await Promise.allSettled([
          provider.shutdown(),
          flushed.finally(() => meters.shutdown()),
        ]);
        // A next run in the same process registers its own.
        api.metrics.disable();
        api.diag.disable();
        const failed = closed.find((result) => result.status === "rejected");
        return problem ?? (failed === undefined ? null : errorMessage(failed.reason));
      },
    };
  } catch (error) {
    if (isMissing(error))
      throw new MissingTelemetry(
        `--otel needs packages that are not installed. Install them: npm install ${OTEL_PACKAGES.join(" ")}`,
        { cause: error },
      );
    throw error;
  }
}

/** The packages of the SDK, of which versions 1 to 3 may be installed. */
interface Sdk {
  readonly resources: Resources;
  /** `sdk-trace` of version 3, or `sdk-trace-base` of earlier ones. */
  readonly trace: Partial<typeof import("@opentelemetry/sdk-trace")> & EarlierTrace;
  readonly metrics: typeof import("@opentelemetry/sdk-metrics");
  readonly traceExporter: typeof import("@opentelemetry/exporter-trace-otlp-http");
  readonly metricExporter: typeof import("@opentelemetry/exporter-metrics-otlp-http");
}

type Resource = import("@opentelemetry/resources").Resource;
type TracerProvider = import("@opentelemetry/sdk-trace").TracerProvider;

type Resources = Partial<typeof import("@opentelemetry/resources")> & {
  /** In version 1 a class. */
  readonly Resource?: { new (attributes: object): Resource; default(): Resource };
};

interface EarlierTrace {
  readonly BasicTracerProvider?: new (options: object) => TracerProvider;
}

async function loadSdk(): Promise<Sdk> {
  const modules = await Promise.all([
    import("@opentelemetry/resources"),
    import("@opentelemetry/sdk-trace").catch((error: unknown) => {
      if (!isMissing(error)) throw error;
      // Not a literal, because the types of earlier versions are not installed here.
      const earlier = "@opentelemetry/sdk-trace-base";
      return import(earlier) as Promise<Sdk["trace"]>;
    }),
    import("@opentelemetry/sdk-metrics"),
    import("@opentelemetry/exporter-trace-otlp-http"),
    import("@opentelemetry/exporter-metrics-otlp-http"),
  ]);
  // Node does not find all names of the modules of version 1, which are CommonJS.
  const [resources, trace, metrics, traceExporter, metricExporter] = modules.map((module) => ({
    ...("default" in module ? (module.default as object) : {}),
    ...module,
  }));
  return { resources, trace, metrics, traceExporter, metricExporter } as Sdk;
}

async function resourceOf(resources: Resources): Promise<Resource> {
  const { Resource, defaultResource, resourceFromAttributes, detectResources, envDetector } = resources;
  const own = { "service.name": "elenchus" };
  // Version 1 has the class alone, and detects in its own time.
  const base = (defaultResource?.() ?? Resource?.default()) as Resource;
  const named = (resourceFromAttributes?.(own) ?? (Resource && new Resource(own))) as Resource;
  const found = (await detectResources?.({ detectors: envDetector ? [envDetector] : [] })) as Resource;
  return base.merge(named).merge(found);
}

function tracerProvider({ trace, traceExporter }: Sdk, resource: Resource): TracerProvider {
  const exporter = new traceExporter.OTLPTraceExporter();
  // All versions have this class. Its argument is the exporter itself before version 3.
  const Processor = trace.BatchSpanProcessor as new (options: unknown) => object;
  if (trace.TracerProvider !== undefined)
    return new trace.TracerProvider({ resource, spanProcessors: [new Processor({ exporter }) as never] });
  const Provider = trace.BasicTracerProvider as NonNullable<EarlierTrace["BasicTracerProvider"]>;
  return withParts(Provider, { resource, spanProcessors: [new Processor(exporter)] }, "addSpanProcessor");
}

function meterProvider({ metrics, metricExporter }: Sdk, resource: Resource) {
  const exporter = new metricExporter.OTLPMetricExporter();
  const readers = [new metrics.PeriodicExportingMetricReader({ exporter })];
  return withParts(metrics.MeterProvider, { resource, readers }, "addMetricReader");
}

/** Makes a provider with processors or readers. In version 1 they are added later: the options are not in all of its releases. */
function withParts<Provider extends object>(
  Class: new (options: never) => Provider,
  { resource, ...options }: { readonly resource: Resource } & Readonly<Record<string, unknown>>,
  adder: string,
): Provider {
  const isEarly = adder in Class.prototype;
  const provider = new Class((isEarly ? { resource } : { resource, ...options }) as never);
  if (isEarly)
    for (const part of Object.values(options).flat())
      (provider as Readonly<Record<string, (part: unknown) => void>>)[adder]?.(part);
  return provider;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
}

/** The SDK reports errors as JSON with their stack. */
function messageIn(report: string): string {
  try {
    const { message } = JSON.parse(report) as { readonly message?: unknown };
    return typeof message === "string" && message !== "" ? message : report;
  } catch {
    return report;
  }
}
