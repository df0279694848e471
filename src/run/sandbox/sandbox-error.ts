/** What a call in the sandbox can come to besides a value. */
export type SandboxFailure = "threw" | "too_long" | "too_much_memory" | "not_data" | "broken" | "disposed";

/** Thrown where a source string did not give a value; the message stands alone, without a trace of the machinery. */
export class SandboxError extends Error {
  override readonly name = "SandboxError";
  readonly kind: SandboxFailure;

  constructor(kind: SandboxFailure, message: string) {
    super(message);
    this.kind = kind;
    // Where in our code it was noticed says nothing about the source string.
    this.stack = `${this.name}: ${message}`;
  }
}
