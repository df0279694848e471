const COMMA_GROUPS = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;
const INDIAN_GROUPS = /^\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d+)?$/;
const DOT_GROUPS = /^\d{1,3}(?:\.\d{3})+,\d+$|^\d{1,3}(?:\.\d{3}){2,}$/;
const MARKED_GROUPS = /^\d{1,3}(?:(?:'\d{3})+|(?:_\d{3})+|(?:\u00a0\d{3})+)(?:[.,]\d+)?$/;
const PLAIN_SPACE_GROUPS = /^\d{1,3}(?: \d{3})+(?:[.,]\d+)?$/;

/**
 * The value of digits with separators; null if they can be read in two ways.
 *
 * A comma before groups of three, or before Indian groups, only groups; a dot begins decimals: `1,200` is 1200 and
 * `1.200` is 1.2. The continental way is read where it cannot be anything else: `1.200,50`, `1.200.500`, `1200,50`,
 * `0,5`; `3,5` could be two numbers and counts only if `decimalComma` says so (a currency or a unit
 * follows). Spaces group if they are no-break spaces, if there are several or decimals (`1 200,50`), or if what
 * follows could not be a number by itself (`12 000`).
 */
export function groupedNumber(digits: string, decimalComma: boolean): number | null {
  if (/^\d+(?:\.\d+)?$/.test(digits)) return Number(digits);
  if (/^0,\d+$/.test(digits)) return Number(digits.replace(",", "."));
  if (COMMA_GROUPS.test(digits) || INDIAN_GROUPS.test(digits)) return Number(digits.replaceAll(",", ""));
  if (DOT_GROUPS.test(digits)) return Number(digits.replaceAll(".", "").replace(",", "."));
  if (MARKED_GROUPS.test(digits)) return Number(digits.replace(/['_\u00a0]/g, "").replace(",", "."));
  if (PLAIN_SPACE_GROUPS.test(digits) && (digits.split(" ").length > 2 || / 0|[.,]/.test(digits))) {
    return Number(digits.replaceAll(" ", "").replace(",", "."));
  }
  const sure = /^\d{4,},\d{1,2}$/.test(digits) || (decimalComma && /^\d+,(?:\d{1,2}|\d{4,})$/.test(digits));
  return sure ? Number(digits.replace(",", ".")) : null;
}
