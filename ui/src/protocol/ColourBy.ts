export type ColourBy = "worker" | "kind" | "source" | "core";
