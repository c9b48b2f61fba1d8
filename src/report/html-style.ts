/** The page's whole style: no fonts, no images, nothing from elsewhere. Follows the reader's dark or light, and prints. */
export const htmlStyle = `
:root{color-scheme:light dark;--ink:#1b1f24;--faint:#5b636d;--paper:#fff;--line:#d5d9de;--band:#f3f5f7;--good:#1a7f37;--warn:#8a5a00;--bad:#c4232c;--goodfill:#3fae5c;--warnfill:#e0a32e;--badfill:#d9434b;--closed:#b9c0c8;--drain:#7d8894;--away:#2f363d}
@media (prefers-color-scheme:dark){:root{--ink:#e6e9ed;--faint:#9aa4af;--paper:#14171b;--line:#353c44;--band:#1d2228;--good:#57c774;--warn:#e3b341;--bad:#ff7b80;--goodfill:#2f8f49;--warnfill:#a87a1e;--badfill:#c93c44;--closed:#4a525b;--drain:#727d88;--away:#cdd4db}}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif}
main{max-width:1100px;margin:0 auto;padding:1.5rem}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2.2rem;border-top:1px solid var(--line);padding-top:1rem}
h1,h2,p,li,td,pre{overflow-wrap:anywhere}
table{border-collapse:collapse;margin:.8rem 0;width:100%}
th,td{text-align:left;vertical-align:top;padding:.25rem .7rem .25rem 0;border-bottom:1px solid var(--line)}
.story td:first-child{white-space:nowrap}
th{font-weight:600;color:var(--faint);font-size:.85rem}
.scroll{overflow-x:auto}
li{margin:.5rem 0}li>div{margin-left:1rem}
pre{background:var(--band);padding:.8rem;overflow-x:auto;white-space:pre-wrap;font:13px/1.45 ui-monospace,monospace}
code{font:13px/1.45 ui-monospace,monospace}
.good{color:var(--good)}.bad{color:var(--bad)}.warn{color:var(--warn)}.dim{color:var(--faint)}
.step{margin:1rem 0}
svg{display:block;max-width:100%;height:auto;margin:.8rem 0}
svg text{fill:var(--ink);font:13px system-ui,sans-serif}
svg .small{font-size:11px}svg .faint{fill:var(--faint);font-size:11px}svg .name{font-weight:600}svg .lost{fill:var(--bad);font-size:11px}
svg .count{fill:#fff;font-size:11px;font-weight:600}
svg .band{fill:var(--band);stroke:var(--line)}
svg .flow{stroke:var(--faint);stroke-width:1.5}svg .dashed{stroke-dasharray:3 3}svg .head{fill:var(--faint)}
svg .grid{stroke:var(--line)}
svg .pod{fill:var(--good)}svg .off{fill:none;stroke:var(--bad);stroke-width:2}svg .part{fill:var(--warnfill)}
svg .span.good{fill:var(--goodfill)}svg .span.warn{fill:var(--warnfill)}svg .span.bad{fill:var(--badfill)}
svg .closed{fill:var(--closed)}svg .draining{fill:var(--drain)}svg .away{fill:var(--away)}
svg .gone{fill:var(--badfill)}svg .homeless{fill:var(--paper);stroke:var(--bad);stroke-width:2}svg .held{fill:var(--warnfill)}svg .ready{fill:var(--goodfill)}
@media print{body{font-size:11pt}main{max-width:none;padding:0}h2{break-after:avoid}table,svg,pre,.step{break-inside:avoid}.scroll{overflow:visible}*{-webkit-print-color-adjust:exact;print-color-adjust:exact}}
`;
