export type { RunObserver } from "../../engine/journal/run-observer.ts";
export { type OpenTelemetryOptions, openTelemetry } from "../interchange/otel/open-telemetry.ts";
