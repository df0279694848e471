import type { RunFailure, Stage } from "../../journal/failure.ts";
import { printableText } from "../../terminal/printable-text.ts";

const WHAT: Readonly<Record<Stage, string>> = {
  subject: "The subject gave no answer",
  judge: "The judge could not be asked",
  tool: "A tool could not be used",
  handover: "The question could not be handed over",
  run: "The run ended the conversation",
  record: "The record does not fit the scenario",
  simulator: "The simulated user broke its contract",
};

/** A failure as one sentence: what did not work, where, of what kind, and what is known about it. */
export function failureSentence(failure: RunFailure): string {
  const { turn, node, cause } = failure;
  const message = printableText(failure.message);
  const place = [
    ...(turn === undefined ? [] : [`turn ${turn}`]),
    ...(node === undefined ? [] : [`node ${printableText(node)}`]),
  ].join(", ");
  const where = place === "" ? "" : ` in ${place}`;
  const behind = cause === undefined ? "" : printableText(cause);
  // What a server said is often part of the message already.
  const more = message.includes(behind) ? "" : `${/[.!?…]$/.test(message) ? "" : "."} Cause: ${behind}`;
  return `${WHAT[failure.stage]}${where} (${kindOf(failure)}): ${message}${more}`;
}

/** What failed and of what kind, without the place: the same for failures that belong together. */
export function failureKind(failure: Pick<RunFailure, "stage" | "category" | "statusCode">): string {
  return `${WHAT[failure.stage]} (${kindOf(failure)})`;
}

function kindOf({ category, statusCode }: Pick<RunFailure, "category" | "statusCode">): string {
  const kind = category.replaceAll("_", " ");
  return statusCode === undefined ? kind : `${kind}, status ${statusCode}`;
}
