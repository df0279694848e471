import { MONTHS, readDate } from "../../../core/checks/date-value.ts";
import { lazyPattern } from "../../../core/lazy.ts";
import { anyOf, type Kind, type Mention } from "./kind.ts";
import type { ReplyText } from "./reply-text.ts";

const MONTH = anyOf(...MONTHS.map((month) => `${month.slice(0, 3)}(?:${month.slice(3)}|\\.)?`), "sept\\.?");

/** Whole days as `date_match` reads them: a month without a day, or a day without a year, is none. */
const days = lazyPattern(
  `(?<![\\w/.-])${anyOf(
    "\\d{4}-\\d{2}-\\d{2}",
    `${MONTH} \\d{1,2}(?:st|nd|rd|th)?(?:, ?| )\\d{4}`,
    `\\d{1,2}(?:st|nd|rd|th)? (?:of )?${MONTH}(?:, ?| )\\d{4}`,
    "\\d{1,2}/\\d{1,2}/\\d{4}",
  )}(?![\\w/-])`,
  "gi",
);

/** The dates that a reply names, as 1989-11-09; one that is no day of the calendar names none. */
export const DATES: Kind<string> = {
  mentions: (reply) => datesIn(reply, 0, reply.text.length),
  announced: datesIn,
};

function datesIn({ text }: ReplyText, from: number, to: number): Mention<string>[] {
  return [...text.slice(from, to).matchAll(days())].map(({ 0: written, index }) => {
    const date = readDate(written);
    const pad = (number: number, length: number): string => String(number).padStart(length, "0");
    return {
      value: date === undefined ? null : `${pad(date.year, 4)}-${pad(date.month, 2)}-${pad(date.day, 2)}`,
      start: from + index,
      end: from + index + written.length,
    };
  });
}
