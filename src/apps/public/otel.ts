export type { RunObserver } from "../../engine/journal/run-event.ts";
export { type OpenTelemetryOptions, openTelemetry } from "../interchange/otel/open-telemetry.ts";
