import { errorMessage } from "../../core/error-message.ts";
import { redactSecrets } from "../../system/secrets/redact-secrets.ts";
import { printableLines, printableText } from "../../system/terminal/printable-text.ts";
import type { Output } from "../../system/terminal/terminal.ts";

/** The names of errors that the user can fix; their messages are whole sentences. */
const EXPECTED: ReadonlySet<string> = new Set([
  "ProjectError",
  "RunError",
  "StoreError",
  "ModelError",
  "DefinitionError",
  "RunFileError",
  "FileError",
]);

/** Prints what went wrong; with `--debug`, also the stack. */
export function reportError(error: unknown, messages: Output, { debug }: { readonly debug: boolean }): void {
  const { style } = messages;
  const name = error instanceof Error ? error.name : "";
  const text = redactSecrets(printableLines(errorMessage(error)));
  if (EXPECTED.has(name) || isAboutFiles(error)) messages.write(`${style.red("error:")} ${text}\n`);
  else
    messages.write(
      `${style.red("error:")} ${text}\nThis should not have happened. Please report it with the output of --debug.\n`,
    );
  if (debug && error instanceof Error) messages.write(`${redactSecrets(printableLines(stackOf(error)))}\n`);
}

/** Errors of the file system name the file, and are about a file that the user named. */
function isAboutFiles(error: unknown): boolean {
  return error instanceof Error && "syscall" in error && "path" in error;
}

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${stackOf(error.cause)}` : "";
  return `${error.stack ?? printableText(error.message)}${cause}`;
}
