import { errorMessage } from "../../core/error-message.ts";
import type { RunObserver } from "../../journal/run-observer.ts";

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
    const [
      api,
      resources,
      sdk,
      measure,
      { OTLPTraceExporter },
      { OTLPMetricExporter },
      { openTelemetry },
      { SCHEMA },
    ] = await Promise.all([
      import("@opentelemetry/api"),
      import("@opentelemetry/resources"),
      import("@opentelemetry/sdk-trace"),
      import("@opentelemetry/sdk-metrics"),
      import("@opentelemetry/exporter-trace-otlp-http"),
      import("@opentelemetry/exporter-metrics-otlp-http"),
      import("./open-telemetry.ts"),
      import("./attributes.ts"),
    ]);
    let problem: string | null = null;
    const ignore = (): void => {};
    const error = (message: string): void => {
      problem ??= messageIn(message);
    };
    // Errors of the exporters are reported to this logger only.
    api.diag.setLogger({ error, warn: ignore, info: ignore, debug: ignore, verbose: ignore });
    const { defaultResource, detectResources, envDetector, resourceFromAttributes } = resources;
    const resource = defaultResource()
      .merge(resourceFromAttributes({ "service.name": "elenchus" }))
      .merge(detectResources({ detectors: [envDetector] }));
    const provider = new sdk.TracerProvider({
      resource,
      spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
    });
    const meters = new measure.MeterProvider({
      resource,
      readers: [new measure.PeriodicExportingMetricReader({ exporter: new OTLPMetricExporter() })],
    });
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
    if (error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND")
      throw new MissingTelemetry(
        `--otel needs packages that are not installed. Install them: npm install ${OTEL_PACKAGES.join(" ")}`,
        { cause: error },
      );
    throw error;
  }
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
