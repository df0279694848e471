import { expect, onTestFinished, test } from "vitest";
import { capitalFiles } from "../cli/capitals.ts";
import { sharedPostgres } from "../postgres-server.ts";
import { ViewedStore } from "./viewed-store.ts";

/** Asks a viewer, with the cookie that its page gets. */
async function viewerOf(
  store: ViewedStore,
): Promise<(path: string, options?: RequestInit) => Promise<unknown>> {
  const url = await store.view();
  const page = await fetch(url, { redirect: "manual" });
  const cookie = (page.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  return async (path, options = {}) => {
    const answer = await fetch(new URL(path, url.origin), {
      ...options,
      headers: {
        cookie,
        origin: url.origin,
        "content-type": "application/json",
        "x-elenchus-token": url.searchParams.get("token") ?? "",
      },
    });
    expect(answer.status, path).toBe(200);
    // Where the next page begins is the row of a conversation, which is another one in each store.
    return JSON.parse((await answer.text()).replace(/"next":"[\d.]+"/, '"next":"…"'));
  };
}

test("the viewer shows a store on a server as it shows a file", async () => {
  const file = new ViewedStore();
  const server = new ViewedStore({ ELENCHUS_STORE: await sharedPostgres() });
  onTestFinished(() => Promise.all([file.remove(), server.remove()]).then(() => {}));
  file.write(capitalFiles(3));
  const subjects = ["--subject", "sim/steadfast", "--subject", "sim/sycophant"];
  const { code } = await file.give("run", "capitals", ...subjects, "--replicates", "2", "--name", "r", "-q");
  expect(code).toBe(0);
  await file.give("export", "r", "--output", "r.jsonl");
  for (const [store, path] of [
    [file, "r.jsonl"],
    [server, `${file.folder}/r.jsonl`],
  ] as const)
    expect((await store.give("import", path, "--as", "same")).code).toBe(0);
  const [there, here] = [await viewerOf(server), await viewerOf(file)];
  const list = (await here("/api/runs/same/conversations?limit=3")) as {
    readonly conversations: readonly { readonly conversation: string }[];
  };
  const [name = ""] = list.conversations.map(({ conversation }) => conversation);
  expect(name).not.toBe("");
  const filters = [
    "limit=3",
    "subject=sim/sycophant",
    "status=completed",
    "status=cut_short",
    "verdict=fail",
    "node=ask&verdict=pass",
    "node=push&edge=1",
    "outcome=held_firm",
    "scenario=brazil&replicate=2",
  ];
  for (const path of [
    "/api/runs/same",
    ...filters.map((filter) => `/api/runs/same/conversations?${filter}`),
    "/api/runs/same/pairs?a=sim/steadfast&b=sim/sycophant",
    "/api/runs/same/pairs?a=sim/steadfast&b=sim/sycophant&outcome=held_firm&side=a",
    "/api/runs/same/heat?outcome=held_firm",
    "/api/runs/same/curves",
    "/api/runs/same/rates",
    "/api/runs/same/rates?by=scenario",
    "/api/runs/same/comparison?a=sim/steadfast&b=sim/sycophant",
    "/api/runs/same/review?kind=random&count=5&seed=3",
    "/api/runs/same/review?kind=unreadable",
    `/api/runs/same/conversations/${encodeURIComponent(name)}`,
    "/api/runs/same/scenarios/brazil",
  ])
    expect(await there(path), path).toEqual(await here(path));
  const label = { conversation: name, turn: 1, field: "verify_result", value: true, who: "ada" };
  for (const ask of [there, here])
    await ask("/api/runs/same/labels", { method: "POST", body: JSON.stringify(label) });
  await there("/api/runs/same", { method: "DELETE" });
  const { runs } = (await there("/api/runs")) as { readonly runs: readonly unknown[] };
  expect(runs).toEqual([]);
});
