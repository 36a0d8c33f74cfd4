export type Align = "start" | "middle" | "end";
