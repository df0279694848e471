import { expect, test } from "vitest";
import { userFolder } from "./user-folder.ts";

test.each([
  [{ XDG_CONFIG_HOME: "/c", HOME: "/home/me" }, "linux", "/c/elenchus"],
  [{ XDG_CONFIG_HOME: "c", HOME: "/home/me" }, "linux", "/home/me/.config/elenchus"],
  [{ XDG_CONFIG_HOME: "", HOME: "/home/me" }, "darwin", "/home/me/.config/elenchus"],
  [{ APPDATA: "/data", HOME: "/home/me" }, "linux", "/home/me/.config/elenchus"],
  [{ APPDATA: "/data", USERPROFILE: "/me" }, "win32", "/data/elenchus"],
  [{ USERPROFILE: "/me" }, "win32", "/me/.config/elenchus"],
  [{ HOME: "me" }, "linux", undefined],
  [{}, "linux", undefined],
] as const)("%j on %s: %s", (environment, platform, folder) => {
  expect(userFolder(environment, platform)).toBe(folder);
});
