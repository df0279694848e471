const RESERVED: ReadonlySet<string> = new Set(
  (
    "break case catch class const continue debugger default delete do else enum export extends false finally for " +
    "function if import in instanceof new null return super switch this throw true try typeof var void while with " +
    // Reserved in strict code, in modules and in generators only, but never needed as a name.
    "await implements interface let package private protected public static yield"
  ).split(" "),
);

/** True if a word cannot be the name of a variable or of a function, in strict code at least. */
export function isReservedWord(word: string): boolean {
  return RESERVED.has(word);
}
