import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileDateFormat, type DateValue, readDate } from "./date-value.ts";

const midnight = { year: 2024, month: 3, day: 1, instant: Date.UTC(2024, 2, 1), bare: true };
const at = (hour: number, minute = 0, second = 0): object => ({
  ...midnight,
  instant: Date.UTC(2024, 2, 1, hour, minute) + Math.round(second * 1e9) / 1e6,
  bare: false,
});

describe("readDate", () => {
  it.each([
    ["2024-03-01", "20240301", " 2024-03-01\n", "3/1/2024", "03/01/2024", "March 1, 2024", "march 1 2024"],
    ["MARCH 1,2024", "Mar 1, 2024", "Mar. 1, 2024", "March 1st, 2024", "March  01, 2024", "1 March 2024"],
    ["01 Mar 2024", "1st March 2024", "1st of March, 2024", "1 mar. 2024", "1\u00a0March\u00a02024"],
  ])("reads the first of March (%#)", (...texts) => {
    for (const text of texts) expect([text, readDate(text)]).toEqual([text, midnight]);
  });

  it.each<[string, object]>([
    ["2024-03-01T00:00:00Z", at(0)],
    ["2024-03-01T10", at(10)],
    ["2024-03-01T10:30", at(10, 30)],
    ["2024-03-01 10:30", at(10, 30)],
    ["2024-03-01t10:30:15z", at(10, 30, 15)],
    ["2024-03-01T10:30:15.25", at(10, 30, 15.25)],
    ["2024-03-01T10:30:15,25Z", at(10, 30, 15.25)],
    ["2024-03-01T10:30:15.123456789Z", at(10, 30, 15.123456789)],
    ["20240301T103015Z", at(10, 30, 15)],
    ["2024-03-01T10:30+02:00", at(8, 30)],
    ["2024-03-01T10:30+0530", at(5, 0)],
    ["2024-03-01T10:30+05", at(5, 30)],
    ["2024-03-01T10:30-00:30", at(11, 0)],
    ["2024-03-01T23:30:00-05:00", at(28, 30)],
    ["2024-03-01T00:30:00+14:00", at(-13, -30)],
  ])("reads the time of %s, and the day as it is written", (text, expected) => {
    expect(readDate(text)).toEqual(expected);
  });

  const NO_DATES = `
2024-02-30 | 2023-02-29 | 1900-02-29 | 2024-04-31 | 2024-13-01 | 2024-00-01 | 2024-01-00
0000-01-01 | 13/01/2024 | 2/30/2024 | 30 February 2024 | February 29, 2023 | 0/1/2024
March 0, 2024 | March 32, 2024 | 2024-03-01T24:00 | 2024-03-01T10:60 | 2024-03-01T10:30:60
2024-03-01T10:30+24:00 | 2024-03-01T10:30+01:60 | 2024 | 2024-03 | 2024-3-1 | 3/1/24
March 2024 | 24-03-01 | +002024-03-01 | 2024-03-01Z | 2024-0301 | 2024-03-01T | 2024-03-01T1030
20240301T10:30 | 2024-03-01T10:30+5 | 2024-03-01T10:30+05: | 2024-03-01T10:30.5 | Marsh 1, 2024
Ma 1, 2024 | marc 1 2024 | 1 2024 | bad | today | 1709251200 | 12024-03-01`;

  it.each([
    NO_DATES.trim().split(/ \| |\n/),
    ["", " ", "2024-03-01 and more", "x2024-03-01", `2024-03-01T10:30:15.${"1".repeat(100)}`, "٢٠٢٤-٠٣-٠١"],
    [null, undefined, 20240301, true, ["2024-03-01"], {}, new Date(0)],
  ])("cannot read what is not a date (%#)", (...values) => {
    expect(values.filter((value) => readDate(value) !== undefined)).toEqual([]);
  });

  it("knows every month by its name and by three letters", () => {
    const names =
      "January February March April May June July August September October November December".split(" ");
    for (const [index, name] of names.entries()) {
      expect(readDate(`${name} 28, 2023`)?.month).toBe(index + 1);
      expect(readDate(`28 ${name.slice(0, 3)} 2023`)?.month).toBe(index + 1);
    }
    expect(readDate("Sept. 28, 2023")?.month).toBe(9);
  });

  it("reads the years from 1 to 9999 as they are", () => {
    expect(readDate("0001-01-01")).toMatchObject({ year: 1, instant: -62135596800000 });
    expect(readDate("0050-06-01")?.year).toBe(50);
    expect(readDate("9999-12-31")?.instant).toBe(Date.UTC(9999, 11, 31));
  });

  it("reads what Date writes", () => {
    const dates = fc.date({
      min: new Date("0001-01-01T00:00:00Z"),
      max: new Date("9999-12-31T23:59:59Z"),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(dates, (date) => {
        expect(readDate(date.toISOString())?.instant).toBe(date.getTime());
      }),
    );
  });
});

describe("formats", () => {
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
});
