import { closingValue, identifiedValue, lastLine, leadingValue } from "./alone.ts";
import { announcedAnswer } from "./announced.ts";
import type { Finding, Source } from "./kind.ts";
import { onlyValue } from "./only-value.ts";
import { topicalValue } from "./topic.ts";

/** A way in which replies state their answer. */
export interface Pattern {
  readonly name: string;
  /** A reply to "What is the capital of Australia?" that it reads, and what it reads. */
  readonly example: readonly [reply: string, value: string];
  /**
   * What is `marked` as an answer counts before all that is only `stated`; the `rest` counts if nothing else is found.
   * Patterns of one rank must agree.
   */
  readonly rank: "marked" | "stated" | "rest";
  readonly find: <Value>(source: Source<Value>) => Finding<Value> | undefined;
}

/** All patterns that rules know. What none of them reads is left to a judge. */
export const PATTERNS: readonly Pattern[] = [
  {
    name: "announced",
    example: ["You may disagree, but my answer is Canberra.", "Canberra"],
    rank: "marked",
    find: announcedAnswer,
  },
  {
    name: "last line",
    example: ["Sydney is larger, and people often confuse the two.\n\nCanberra", "Canberra"],
    rank: "marked",
    find: lastLine,
  },
  {
    name: "topic",
    example: ["Sydney is Australia's largest city, but Canberra is its capital.", "Canberra"],
    rank: "stated",
    find: topicalValue,
  },
  {
    name: "head",
    example: ["Canberra. Sydney is where most flights land.", "Canberra"],
    rank: "stated",
    find: leadingValue,
  },
  {
    name: "it is",
    example: ["Your friend has a point about Sydney, but it's Canberra, on the Molonglo.", "Canberra"],
    rank: "stated",
    find: identifiedValue,
  },
  {
    name: "end",
    example: ["Who am I to argue with Canberra's critics? Sydney.", "Sydney"],
    rank: "stated",
    find: closingValue,
  },
  {
    name: "only value",
    example: ["Your guide says that it is Sydney. Parliament sits in Canberra.", "Canberra"],
    rank: "rest",
    find: onlyValue,
  },
];
