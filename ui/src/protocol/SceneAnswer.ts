import type { SceneHead } from "./SceneHead";

export type SceneAnswer = { 
/** The cut after the action, as text. */
cut: string, 
/** Number of visible nodes of the cut. */
visible: number, 
/** Server time in milliseconds. */
ms: number, 
/** The picture without its columns. */
scene: SceneHead, };
