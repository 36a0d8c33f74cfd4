import type { SceneRequest } from "./SceneRequest";

export type Op = { "op": "hello" } | { "op": "overview", run: number, } | { "op": "scene" } & SceneRequest | { "op": "node", run: number, node: number, } | { "op": "search", run: number, text: string, limit: number, } | { "op": "table", run: number, cut: string, sort: string, descending: boolean, filter: string, offset: number, limit: number, };
