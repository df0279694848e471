/**
 * What Mermaid would read as something else than text, even between quotes. Besides delimiters and HTML: `%%{` is a
 * directive and `%%` a comment anywhere; `$$` is mathematics; `fa:` is an icon; "style a:#…;" loses its semicolon; a line
 * with "direction TB" turns the chart; labels are Markdown (lists, "1.", emphasis, headings underlined with "=", "www.");
 * `°` and `¶` are part of how Mermaid itself encodes entities. Spared where they are harmless, for readable sources:
 * `-` and `_` inside words, ` = ` inside texts, most full stops.
 */
const SPECIAL =
  /["#$%&()*+:;<>@[\\\]^`{|}~°¶]|(?<![a-z0-9])[-_]|[-_](?![a-z0-9])|(?<!\S )=|=(?! )|(?<=\d|www)\.|(?<=directio)n(?= [tblr])/giu;

/** A text as the content of a quoted Mermaid label, with entity codes for everything that has a meaning there. */
export function mermaidLabel(text: string): string {
  return text.replace(SPECIAL, (character) => `#${character.codePointAt(0)};`);
}
