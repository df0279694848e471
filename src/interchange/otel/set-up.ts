import type { RunObserver } from "../../journal/run-observer.ts";

/** Telemetry that sends what it has when it is closed. */
export interface Telemetry {
  readonly observer: RunObserver;
  close(): Promise<void>;
}

/** The packages that `--otel` needs, and how to get them. */
export const OTEL_PACKAGES = [
  "@opentelemetry/api",
  "@opentelemetry/sdk-trace",
  "@opentelemetry/sdk-metrics",
  "@opentelemetry/exporter-trace-otlp-http",
  "@opentelemetry/exporter-metrics-otlp-http",
] as const;

/** A package of OpenTelemetry is not installed. */
export class MissingTelemetry extends Error {}

/**
 * Sends traces and metrics over OTLP to where the standard variables (`OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_EXPORTER_OTLP_HEADERS`, …) say. The packages are
 * optional: throws `MissingTelemetry` if one is not installed.
 */
export async function openTelemetryFromEnvironment(): Promise<Telemetry> {
  try {
    const [{ metrics }, sdk, measure, { OTLPTraceExporter }, { OTLPMetricExporter }, { openTelemetry }] =
      await Promise.all([
        import("@opentelemetry/api"),
        import("@opentelemetry/sdk-trace"),
        import("@opentelemetry/sdk-metrics"),
        import("@opentelemetry/exporter-trace-otlp-http"),
        import("@opentelemetry/exporter-metrics-otlp-http"),
        import("./open-telemetry.ts"),
      ]);
    const provider = new sdk.TracerProvider({
      spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
    });
    const meters = new measure.MeterProvider({
      readers: [new measure.PeriodicExportingMetricReader({ exporter: new OTLPMetricExporter() })],
    });
    metrics.setGlobalMeterProvider(meters);
    return {
      observer: openTelemetry({ tracer: provider.getTracer("elenchus") }),
      close: async () => {
        await Promise.allSettled([provider.shutdown(), meters.shutdown()]);
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
