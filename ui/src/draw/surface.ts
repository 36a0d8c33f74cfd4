// A canvas that knows its size and the device's pixels, paints at most once a frame and only when asked. A paint
// function goes in; frame durations while something moves are kept for the tests and the status line.

/** Draws; true asks for another frame. */
export type Paint = (ctx: CanvasRenderingContext2D, width: number, height: number) => boolean | void;

const durations: number[] = [];
let lastPaint = 0;

/** Durations of the most recent frames that followed each other without a pause, in milliseconds. */
export const frameDurations = (): number[] => durations.slice();
/** How long the last paint of any canvas took, in milliseconds. */
export const lastPaintMs = (): number => lastPaint;

export class Surface {
  width = 0;
  height = 0;
  private ctx: CanvasRenderingContext2D;
  private asked = 0;
  private previous = 0;
  private observer: ResizeObserver;

  constructor(
    readonly canvas: HTMLCanvasElement,
    private paint: Paint,
    private onSize?: (w: number, h: number) => void,
  ) {
    this.ctx = canvas.getContext("2d")!;
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(canvas);
    this.resize();
  }

  /** Asks for a paint in the next frame. */
  invalidate = (): void => {
    if (this.asked === 0) this.asked = requestAnimationFrame(this.frame);
  };

  destroy(): void {
    cancelAnimationFrame(this.asked);
    this.asked = -1;
    this.observer.disconnect();
  }

  private resize(): void {
    const { clientWidth: w, clientHeight: h } = this.canvas;
    const ratio = window.devicePixelRatio || 1;
    const [pw, ph] = [Math.round(w * ratio), Math.round(h * ratio)];
    if (this.canvas.width !== pw || this.canvas.height !== ph) {
      this.canvas.width = pw;
      this.canvas.height = ph;
    }
    const changed = w !== this.width || h !== this.height;
    this.width = w;
    this.height = h;
    if (changed && w > 0 && h > 0) this.onSize?.(w, h);
    // A resized canvas is blank: painting at once avoids a flash.
    if (w > 0 && h > 0) this.draw();
  }

  private frame = (now: number): void => {
    if (this.asked === -1) return;
    this.asked = 0;
    if (this.previous > 0) {
      durations.push(now - this.previous);
      if (durations.length > 600) durations.splice(0, durations.length - 600);
    }
    this.previous = this.draw() ? now : 0;
    // A pan paints again within the next frames: it counts as one motion, a later click does not.
    const at = now;
    if (this.previous === 0) {
      this.previous = at;
      setTimeout(() => {
        if (this.previous === at && this.asked === 0) this.previous = 0;
      }, 60);
    }
  };

  private draw(): boolean {
    if (this.width === 0 || this.height === 0) return false;
    const began = performance.now();
    const ratio = this.canvas.width / this.width;
    this.ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.ctx.clearRect(0, 0, this.width, this.height);
    const again = this.paint(this.ctx, this.width, this.height) === true;
    lastPaint = performance.now() - began;
    if (again) this.invalidate();
    return again;
  }
}
