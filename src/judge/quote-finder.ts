import { words } from "../check/white-space.ts";

const SINGLE_QUOTES = /[\u2018\u2019\u201a\u201b\u2032]/g;
const DOUBLE_QUOTES = /[\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb]/g;
const DASHES = /[\u2010-\u2015\u2212]/g;

/**
 * Looks for quotes in a reply. White space and the shapes of quotation marks and dashes make no difference, for models
 * change them in passing; everything else must be there as it was quoted.
 */
export function quoteFinder(reply: string): (quote: string) => boolean {
  let haystack: string | undefined;
  return (quote) => {
    haystack ??= comparable(reply);
    const needle = comparable(quote);
    return needle !== "" && haystack.includes(needle);
  };
}

function comparable(text: string): string {
  return words(text.normalize("NFC"))
    .join("")
    .replace(SINGLE_QUOTES, "'")
    .replace(DOUBLE_QUOTES, '"')
    .replace(DASHES, "-");
}
