// Comparing pictures without an image library: the browser itself decodes the PNG, on an empty page of its
// own.
//
// Measures: `changed`, the share of pixels that differ (for two pictures made in the same minute by the same
// browser), `count`, how many pixels have a colour, and `sketch`, a small grid of brightness that survives
// other fonts and other anti-aliasing (for references that are kept as JSON).

/** A decoder of pictures; close it when done. */
export async function decoder(browser) {
  const page = await browser.newPage();
  return {
    close: () => page.close(),

    /**
     * Share of pixels (0…1) in which any channel differs by more than `tolerance`. Other sizes: all of them.
     */
    changed: (a, b, tolerance = 24) =>
      page.evaluate(share, { a: a.toString("base64"), b: b.toString("base64"), tolerance }),

    /** How many pixels are of a colour ("#rrggbb"), give or take `tolerance` in each channel. */
    count: (png, colour, tolerance = 12) =>
      page.evaluate(pixels, { png: png.toString("base64"), colour, tolerance }),

    /** Mean brightness (0…255) in a grid of cells, row by row. */
    sketch: (png, columns = 48, rows = 30) =>
      page.evaluate(grid, { png: png.toString("base64"), columns, rows }),
  };
}

/**
 * How far two sketches are apart: the share of cells whose brightness differs by more than `tolerance`.
 * Sketches of different sizes have nothing in common.
 */
export function apart(a, b, tolerance = 16) {
  if (a.length !== b.length) return 1;
  const different = a.filter((value, i) => Math.abs(value - b[i]) > tolerance);
  return different.length / a.length;
}

// The functions below run in the page, so each carries its own decoding.

async function share({ a, b, tolerance }) {
  const pixels = async (png) => {
    const blob = await (await fetch(`data:image/png;base64,${png}`)).blob();
    const bitmap = await createImageBitmap(blob);
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
    context.drawImage(bitmap, 0, 0);
    return context.getImageData(0, 0, bitmap.width, bitmap.height);
  };
  const [one, two] = [await pixels(a), await pixels(b)];
  if (one.width !== two.width || one.height !== two.height) return 1;
  let different = 0;
  for (let i = 0; i < one.data.length; i += 4) {
    const far = (c) => Math.abs(one.data[i + c] - two.data[i + c]) > tolerance;
    if (far(0) || far(1) || far(2)) different += 1;
  }
  return different / (one.width * one.height);
}

async function pixels({ png, colour, tolerance }) {
  const blob = await (await fetch(`data:image/png;base64,${png}`)).blob();
  const bitmap = await createImageBitmap(blob);
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
  context.drawImage(bitmap, 0, 0);
  const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
  const wanted = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  let found = 0;
  for (let i = 0; i < data.length; i += 4) {
    if (wanted.every((value, c) => Math.abs(data[i + c] - value) <= tolerance)) found += 1;
  }
  return found;
}

async function grid({ png, columns, rows }) {
  const blob = await (await fetch(`data:image/png;base64,${png}`)).blob();
  const bitmap = await createImageBitmap(blob);
  const { width, height } = bitmap;
  const context = new OffscreenCanvas(width, height).getContext("2d");
  context.drawImage(bitmap, 0, 0);
  const { data } = context.getImageData(0, 0, width, height);
  const sums = new Float64Array(columns * rows);
  const counts = new Float64Array(columns * rows);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const cell = Math.floor((y * rows) / height) * columns + Math.floor((x * columns) / width);
      const i = 4 * (y * width + x);
      sums[cell] += 0.299 * data[i] + 0.587 * data[i + 1] + 0.114 * data[i + 2];
      counts[cell] += 1;
    }
  }
  return Array.from(sums, (sum, cell) => Math.round(sum / counts[cell]));
}
