/** A rule that reads one field out of a free reply without a judge. */
export type ExtractRule =
  /** The option chosen of a multiple-choice question. */
  | {
      readonly type: "letter";
      /** The letters there are; default: those of the field's `values`, else A to Z. */
      readonly options?: readonly string[];
    }
  /** A number, with separators, signs, units, percent and cues such as `####` understood. */
  | {
      readonly type: "number";
      /** Which of several numbers counts where no cue decides (default `last`). */
      readonly which?: "first" | "last";
    }
  /** What a linear-time regular expression finds: its group, by name or number (default: the first group, else all). */
  | {
      readonly type: "regex";
      readonly pattern: string;
      readonly flags?: string;
      readonly group?: string | number;
      readonly which?: "first" | "last";
    }
  /** A value by the words that stand for it: `{ "BCL-2": ["bcl2", "B-cell lymphoma 2"] }`. The value itself counts too. */
  | { readonly type: "aliases"; readonly values: Readonly<Record<string, readonly string[]>> }
  /** Yes or no, as a boolean. */
  | { readonly type: "stance" };

/** What reading a field found; ambiguous if several different values are as likely. */
export interface ExtractedField {
  readonly status: "found" | "absent" | "ambiguous";
  /** Null unless found. */
  readonly value: unknown;
  /** Where in the reply the value stands, as offsets, if it was found at one place. */
  readonly span?: readonly [start: number, end: number];
}
