/** CSS pixels. In a smaller window or frame a person would not see what is asked. */
export const minSize = { width: 360, height: 480 };

/** CSS pixels of a tab, whose size no page chooses: the least for which pages must be made (WCAG 2.2, 1.4.10). */
export const minTabSize = { width: 320, height: 256 };

/**
 * Screen pixels for a CSS pixel, below which a frame cannot be read: half of a person's own zoom of 100 %. A page can draw a
 * frame smaller by the CSS property `zoom`, which covers nothing and changes no size that the frame can read.
 */
export const minScale = 0.5;
