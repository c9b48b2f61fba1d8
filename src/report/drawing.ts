import { xmlEscaped } from "./escape.ts";

// Drawings are SVG inside the page: shapes with classes of the page's style, so that they follow dark and light.

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A class of html-style.ts; never a name from a cluster. */
type Look = string;

export function rectangle({ x, y, width, height }: Box, look: Look, says = ""): string {
  const body = says === "" ? "/>" : `><title>${xmlEscaped(says)}</title></rect>`;
  return `<rect class="${look}" x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" rx="4"${body}`;
}

export function circle(at: { readonly x: number; readonly y: number }, radius: number, look: Look, says = ""): string {
  const body = says === "" ? "/>" : `><title>${xmlEscaped(says)}</title></circle>`;
  return `<circle class="${look}" cx="${round(at.x)}" cy="${round(at.y)}" r="${radius}"${body}`;
}

export function stroke(from: Point, to: Point, look: Look): string {
  return `<line class="${look}" x1="${round(from.x)}" y1="${round(from.y)}" x2="${round(to.x)}" y2="${round(to.y)}"/>`;
}

/** An arrow's head at its end, pointing down. */
export function headDown({ x, y }: Point, look: Look): string {
  return `<path class="${look}" d="M${round(x - 4)} ${round(y - 6)}L${round(x + 4)} ${round(y - 6)}L${round(x)} ${round(y)}Z"/>`;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export function label(at: Point, text: string, look: Look, anchor: "start" | "middle" | "end" = "start"): string {
  return `<text class="${look}" x="${round(at.x)}" y="${round(at.y)}" text-anchor="${anchor}">${xmlEscaped(text)}</text>`;
}

export function drawing(
  size: { readonly width: number; readonly height: number },
  says: string,
  shapes: string,
): string {
  const { width, height } = size;
  return (
    `<svg viewBox="0 0 ${Math.ceil(width)} ${Math.ceil(height)}" width="${Math.ceil(width)}" role="img" aria-label="${xmlEscaped(says)}">` +
    `${shapes}</svg>`
  );
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
