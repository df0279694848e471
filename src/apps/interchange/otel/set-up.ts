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

/** A package of OpenTelemetry is not installed, or too old. */
export class MissingTelemetry extends Error {}

/**
 * Sends traces and metrics over OTLP to where the standard variables (`OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_EXPORTER_OTLP_HEADERS`, …) say, under the name and
 * with the attributes of `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES`. The packages are optional: throws `MissingTelemetry` if one is not installed.
 */
export async function openTelemetryFromEnvironment(): Promise<Telemetry> {
  try {
    const [api, { openTelemetry }, { SCHEMA }, provider, meters] = await Promise.all([
      import("@opentelemetry/api"),
      import("./open-telemetry.ts"),
      import("./attributes.ts"),
      tracerProvider(),
      meterProvider(),
    ]);
    let problem: string | null = null;
    const ignore = (): void => {};
    const error = (message: string): void => {
      problem ??= messageIn(message);
    };
    // Errors of the exporters are reported to this logger only.
    api.diag.setLogger({ error, warn: ignore, info: ignore, debug: ignore, verbose: ignore });
    api.metrics.setGlobalMeterProvider(meters);
    return {
      observer: openTelemetry({ tracer: provider.getTracer("elenchus", undefined, SCHEMA) }),
      close: async () => {
        const closed = await Promise.allSettled([provider.shutdown(), meters.shutdown()]);
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

type Resource = import("@opentelemetry/resources").Resource;
type TracerProvider = import("@opentelemetry/sdk-trace").TracerProvider;

async function resourceOf(): Promise<Resource> {
  const resources = await import("@opentelemetry/resources");
  if (typeof resources.defaultResource !== "function")
    throw new MissingTelemetry("--otel needs version 2 or later of the packages of OpenTelemetry's SDK.");
  const named = resources.resourceFromAttributes({ "service.name": "elenchus" });
  return resources
    .defaultResource()
    .merge(named)
    .merge(resources.detectResources({ detectors: [resources.envDetector] }));
}

async function tracerProvider(): Promise<TracerProvider> {
  const { OTLPTraceExporter } = await import("@opentelemetry/exporter-trace-otlp-http");
  const [resource, exporter] = [await resourceOf(), new OTLPTraceExporter()];
  try {
    const sdk = await import("@opentelemetry/sdk-trace");
    const spanProcessors = [new sdk.BatchSpanProcessor({ exporter })];
    return new sdk.TracerProvider({ resource, spanProcessors });
  } catch (error) {
    if (!isMissing(error)) throw error;
    // Version 2 has another package, whose types are not installed here, so its name is not a literal.
    const earlier = "@opentelemetry/sdk-trace-base";
    const sdk = (await import(earlier)) as {
      readonly BatchSpanProcessor: new (exporter: object) => object;
      readonly BasicTracerProvider: new (options: object) => TracerProvider;
    };
    return new sdk.BasicTracerProvider({ resource, spanProcessors: [new sdk.BatchSpanProcessor(exporter)] });
  }
}

async function meterProvider() {
  const { MeterProvider, PeriodicExportingMetricReader } = await import("@opentelemetry/sdk-metrics");
  const { OTLPMetricExporter } = await import("@opentelemetry/exporter-metrics-otlp-http");
  const readers = [new PeriodicExportingMetricReader({ exporter: new OTLPMetricExporter() })];
  return new MeterProvider({ resource: await resourceOf(), readers });
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
