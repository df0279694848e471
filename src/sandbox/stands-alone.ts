// Matches always, if only nothing, and never takes a step back.
const SPACE_AND_COMMENTS = /(?:\s|\/\/[^\n\r\u2028\u2029]*|\/\*[^*]*(?:\*(?!\/)[^*]*)*\*\/)*/y;

/** True if `source` is nothing but the text of a function, with space and comments around it. */
export function standsAlone(functionText: string, source: string): boolean {
  if (functionText === "") return false;
  const start = spaceEnd(source, 0);
  return (
    source.startsWith(functionText, start) && spaceEnd(source, start + functionText.length) === source.length
  );
}

function spaceEnd(text: string, start: number): number {
  SPACE_AND_COMMENTS.lastIndex = start;
  SPACE_AND_COMMENTS.test(text);
  return SPACE_AND_COMMENTS.lastIndex;
}
