import { expect, it } from "vitest";
import { emptyScene, splitMessage, standsFor } from "./scene";

it("splits a message into JSON and columns", () => {
  const json = new TextEncoder().encode('{"id":1} ');
  const bytes = new Uint8Array(4 + json.length + 4);
  new DataView(bytes.buffer).setUint32(0, json.length, true);
  bytes.set(json, 4);
  expect(splitMessage(bytes.buffer)).toEqual({ json: { id: 1 }, columns: 13 });
  expect(() => splitMessage(bytes.buffer.slice(0, 3))).toThrow(/too short/);
  expect(() => splitMessage(bytes.buffer.slice(0, 8))).toThrow(/bytes of JSON/);
});

it("has scenes without marks", () => {
  const empty = emptyScene();
  expect([empty.boxes.n, empty.polygons.x.length, empty.grids.length]).toEqual([0, 0, 0]);
  expect(
    standsFor({ ...empty, areas: [{ node: 5, tree: 1 } as never] }, { kind: "areas", index: 0 }),
  ).toMatchObject({ node: 5, tree: 1 });
});
