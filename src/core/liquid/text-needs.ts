import { hasTexts, textsIn } from "./fill-texts.ts";
import { compileText } from "./text-template.ts";
import type { TextVariable } from "./text-variables.ts";

/** The first words of the paths that texts may use. */
export const TEXT_ROOTS = ["row", "variant", "visit", "turns", "nodes", "accumulated", "user"] as const;

/** What a text can read of a turn at once: it is known when there is a reply. */
export const TURN_FACTS: readonly string[] = ["turn", "node", "agent", "question", "reply"];

/** What a text can read of a turn once its reply has been read. */
export const TURN_READINGS: readonly string[] = ["parsed", "verify_result", "score", "refused", "rubric"];

/** What a text reads of a turn beyond its reply. */
export interface TurnNeed {
  /** The last visit of a node; null for any node. */
  readonly node?: string | null;
  /** A turn by its position, from the end if it is negative; null for any turn. */
  readonly index?: number | null;
  readonly part: "parsed" | "verdict" | "refused" | "rubric" | "everything";
  /** The field or the trait; empty for all of them. */
  readonly name: string;
}

/** What of the state must be known before a text can be rendered. */
export interface TextNeeds {
  readonly turns: readonly TurnNeed[];
  readonly accumulated: boolean;
  /** True if it reads anything of the state at all, also what is always known. */
  readonly readsState: boolean;
}

/** Of a text that depends on no state. */
export const NO_NEEDS: TextNeeds = Object.freeze({
  turns: Object.freeze([]),
  accumulated: false,
  readsState: false,
});

/** What some variables need. */
function needsOf(variables: readonly TextVariable[]): TextNeeds {
  const state = variables.filter(({ path }) => path[0] !== "row" && path[0] !== "variant");
  if (state.length === 0) return NO_NEEDS;
  const turns = state.flatMap(turnNeed);
  return { turns, accumulated: state.some(({ path }) => path[0] === "accumulated"), readsState: true };
}

/** What the texts of some parts need together. */
export function needsOfParts(...parts: readonly unknown[]): TextNeeds {
  const found = parts.flatMap((part) => (hasTexts(part) ? [...textsIn(part)] : []));
  return found.length === 0 ? NO_NEEDS : needsOf(found.flatMap(({ text }) => compileText(text).variables));
}

function turnNeed({ path, isList }: TextVariable): readonly TurnNeed[] {
  const [root, which = null, part = null, ...keys] = path;
  if (root !== "turns" && root !== "nodes") return [];
  if (root === "turns" && (isList || which === "size")) return [];
  const place =
    root === "nodes" ? { node: which === null ? null : String(which) } : { index: indexOf(which) };
  const name = keys.every((key) => key !== null) ? keys.join(".") : "";
  switch (part) {
    case "parsed":
    case "refused":
    case "rubric":
      return [{ ...place, part, name }];
    case "verify_result":
    case "score":
      return [{ ...place, part: "verdict", name: "" }];
    case null:
      return [{ ...place, part: "everything", name: "" }];
    default:
      return [];
  }
}

/** The position of a turn; null if it is not known before the text is rendered. */
export function indexOf(key: string | number | null): number | null {
  if (key === "first") return 0;
  if (key === "last") return -1;
  return typeof key === "number" ? key : null;
}
