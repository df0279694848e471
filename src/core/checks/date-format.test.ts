import { describe, expect, it } from "vitest";
import { compileDateFormat } from "./date-format.ts";
import type { DateValue } from "./date-value.ts";

function read(format: string, value: unknown): DateValue | undefined {
  const compiled = compileDateFormat(format);
  if ("problem" in compiled) throw new Error(compiled.problem);
  return compiled.read(value);
}

describe("compileDateFormat", () => {
  it.each<[string, string, string]>([
    ["dd/MM/yyyy", "01/03/2024", "2024-03-01T00:00:00.000Z"],
    ["dd/MM/yyyy", " 1/3/2024 ", "2024-03-01T00:00:00.000Z"],
    ["d.M.yyyy", "01.03.2024", "2024-03-01T00:00:00.000Z"],
    ["yyyyMMdd", "20240301", "2024-03-01T00:00:00.000Z"],
    ["dd-MM-yy", "01-03-24", "2024-03-01T00:00:00.000Z"],
    ["dd-MM-yy", "01-03-69", "1969-03-01T00:00:00.000Z"],
    ["d MMM yyyy", "1 mar 2024", "2024-03-01T00:00:00.000Z"],
    ["MMMM d, yyyy", "MAY 1, 2024", "2024-05-01T00:00:00.000Z"],
    ["yyyy-MM-dd'T'HH:mm:ss", "2024-03-01T10:30:15", "2024-03-01T10:30:15.000Z"],
    ["H:m:s d/M/yyyy", "9:05:7 1/3/2024", "2024-03-01T09:05:07.000Z"],
    ["'day' d 'of' M, yyyy", "day 1 of 3, 2024", "2024-03-01T00:00:00.000Z"],
    ["yyyy''MM''dd", "2024'03'01", "2024-03-01T00:00:00.000Z"],
    ["'o''clock' yyyy-MM-dd", "o'clock 2024-03-01", "2024-03-01T00:00:00.000Z"],
    ["yyyy年M月d日", "2024年3月1日", "2024-03-01T00:00:00.000Z"],
    ["MM/yyyy", "03/2024", "2024-03-01T00:00:00.000Z"],
    ["d MMMM", "29 February", "2000-02-29T00:00:00.000Z"],
    ["yyyy-MM-dd", "0050-06-01", "0050-06-01T00:00:00.000Z"],
  ])("%j reads %j", (format, text, expected) => {
    const date = read(format, text);
    expect(date && new Date(date.instant).toISOString()).toBe(expected);
  });

  it.each<[string, unknown]>([
    ["dd/MM/yyyy", "2024-03-01"],
    ["dd/MM/yyyy", "March 1, 2024"],
    ["dd/MM/yyyy", "01/13/2024"],
    ["dd/MM/yyyy", "30/02/2024"],
    ["dd/MM/yyyy", "01/03/24"],
    ["dd/MM/yyyy", "01/03/2024 10:00"],
    ["dd/MM/yyyy", "01-03-2024"],
    ["dd/MM/yyyy", ""],
    ["dd/MM/yyyy", null],
    ["dd/MM/yyyy", 1032024],
    ["yyyy-MM-dd HH:mm", "2024-03-01 24:00"],
    ["yyyy-MM-dd HH:mm", "2024-03-01 10:60"],
    ["d MMM yyyy", "1 March 2024"],
    ["d MMMM yyyy", "1 Mar 2024"],
    ["d MMM yyyy", "1 xyz 2024"],
  ])("%j cannot read %j", (format, value) => expect(read(format, value)).toBeUndefined());

  it.each([
    ["dd/mm/YYYY", /^"YYYY" is not a date token/],
    ["dd.MM.yyy", /^"yyy" is not a date token/],
    ["%d/%m/%Y", /^"Y" is not a date token/],
    ["yyyy-MM-ddTHH", /^"T" is not a date token/],
    ["yyyy-MM-dd'T", /quotation mark is not closed/],
    ["yyyy-MM-dd'T''", /quotation mark is not closed/],
    ["dd/dd/yyyy", /the day twice/],
    ["MMM M yyyy", /the month twice/],
    ["HH:mm", /no year, month or day/],
    ["", /no year, month or day/],
    ["'yyyy'", /no year, month or day/],
  ])("says what is wrong with %j", (format, problem) => {
    expect(compileDateFormat(format)).toEqual({ problem: expect.stringMatching(problem) });
  });
});
