export { type OpenTelemetryOptions, openTelemetry } from "../interchange/otel/open-telemetry.ts";
export type { RunObserver } from "../journal/run-observer.ts";
