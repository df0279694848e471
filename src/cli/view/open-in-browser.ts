import { spawn } from "node:child_process";

const PROGRAMS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ["open"],
  // The empty text is the title of a window; without it, an address in quotes would be the title.
  win32: ["cmd", "/c", "start", ""],
};

/** Opens an address in the browser of the user; false if that cannot be done. */
export function openInBrowser(url: string): Promise<boolean> {
  const [program, ...before] = PROGRAMS[process.platform] ?? ["xdg-open"];
  // `&` separates commands in Windows.
  const address = process.platform === "win32" ? url.replaceAll("&", "^&") : url;
  return new Promise((resolve) => {
    const child = spawn(program, [...before, address], { stdio: "ignore", detached: true });
    child.once("error", () => resolve(false));
    child.once("exit", (code) => resolve(code === 0));
    child.once("spawn", () => {
      child.unref();
      // A program that stays open is the browser itself.
      setTimeout(() => resolve(true), 2_000).unref();
    });
  });
}
