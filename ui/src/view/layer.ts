// What does not change while the pointer moves, drawn once into an image: a picture of many marks is not drawn again for
// a line at the pointer. What it depends on goes in; it is drawn again when one of these is another.

export class Layer {
  private image: HTMLCanvasElement | null = null;
  private known: readonly unknown[] = [];

  draw(
    ctx: CanvasRenderingContext2D,
    w: number,
    h: number,
    depends: readonly unknown[],
    paint: (ctx: CanvasRenderingContext2D) => void,
  ): void {
    const ratio = ctx.getTransform().a || 1;
    const now = [w, h, ratio, ...depends];
    const same = now.length === this.known.length && now.every((value, i) => value === this.known[i]);
    if (!same || !this.image) {
      this.known = now;
      this.image ??= document.createElement("canvas");
      // Another size clears it, and so does the same.
      this.image.width = Math.round(w * ratio);
      this.image.height = Math.round(h * ratio);
      const on = this.image.getContext("2d")!;
      on.scale(ratio, ratio);
      paint(on);
    }
    ctx.drawImage(this.image, 0, 0, w, h);
  }
}
