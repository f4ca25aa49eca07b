/** CSS pixels. In a smaller window or frame a person would not see what is asked. */
export const leastSize = { width: 360, height: 480 };
