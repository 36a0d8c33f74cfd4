export type ViewName = "dag" | "timeline" | "profile";
