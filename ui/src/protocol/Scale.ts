export type Scale = "even" | "log" | "linear";
