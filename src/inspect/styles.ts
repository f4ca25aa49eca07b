import type { Palette } from '../ui/styles.js';

/** The inspector's rules beside those that it shares with the dialog. */
export const inspectorStyles = (palette: Palette): string => `
.inspector { width: 100%; min-width: 0; padding: 16px 20px 20px; border-radius: 18px; font-size: 14px; }
.sections > * + * { margin-top: 16px; }
.top { display: flex; align-items: center; gap: 10px; }
.top h2 { flex: 1; font-size: 17px; }
.chip { flex: none; padding: 2px 10px; border: 1px solid ${palette.line}; border-radius: 99px; color: ${palette.soft}; font-size: 13px; }
.chip[data-role=leads] { color: ${palette.good}; }
.small { flex: none; min-height: 44px; padding: 6px 14px; border-radius: 12px; font-size: 14px; }
h3 { font-size: 14px; font-weight: 600; }
h3 + * { margin-top: 6px; }
.soft, dt { color: ${palette.soft}; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(130px, 1fr)); gap: 8px; }
.figures > div { padding: 10px 12px; border-radius: 12px; background: ${palette.sunken}; }
dt { font-size: 13px; }
dd { font-size: 18px; font-weight: 600; }
.bar { display: block; width: 100%; height: 8px; border-radius: 4px; background: ${palette.button}; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 16px; color: ${palette.soft}; }
.legend i { display: inline-block; width: 9px; height: 9px; margin-inline-end: 6px; border-radius: 3px; }
.cache { fill: ${palette.live}; background: ${palette.live}; }
.shared { fill: ${palette.trial}; background: ${palette.trial}; }
.tab { fill: ${palette.focus}; background: ${palette.focus}; }
.service { fill: ${palette.soft}; background: ${palette.soft}; }
.quota { fill: ${palette.live}; }
.quota[data-state=saving] { fill: ${palette.trial}; }
.quota:is([data-state=reserved], [data-state=spent]) { fill: ${palette.severe}; }
.scroll { max-height: 260px; overflow: auto; border: 1px solid ${palette.line}; border-radius: 12px; scrollbar-width: thin; scrollbar-color: ${palette.line} transparent; }
table { width: 100%; border-collapse: collapse; font-size: 13px; }
th, td { padding: 6px 10px; text-align: start; white-space: nowrap; }
th { position: sticky; top: 0; background: ${palette.sunken}; color: ${palette.soft}; font-weight: 550; }
tbody tr + tr { border-top: 1px solid ${palette.line}; }
tr[data-state=bad] td { color: ${palette.danger}; }
`;
