// Words of a text, cut and folded as store/index/full_text.py does.
"use strict";
(() => {
  const unspaced = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}";
  const sign = "\\p{Extended_Pictographic}[\\p{Emoji_Modifier}\\uFE0F]*";
  const word = new RegExp([
    `[${unspaced}]\\p{M}*`,
    `(?![${unspaced}])[\\p{L}\\p{N}](?:(?![${unspaced}])[\\p{L}\\p{N}\\p{M}]|[\\u200C\\u200D](?=\\p{L}))*`,
    `${sign}(?:\\u200D${sign})*`,
    "\\p{Regional_Indicator}{2}",
  ].join("|"), "gu");
  const accents = /[\s\u0300-\u036F\u0591-\u05BD\u05BF-\u05C7\u0610-\u061A\u064B-\u065F\u0670\u1AB0-\u1AFF\u1DC0-\u1DFF\u200C\u200D\u20D0-\u20FF\uFE0F\uFE20-\uFE2F]/gu;
  const fold = (text) => text.toLowerCase().normalize("NFKD").replace(accents, "");
  window.splitWords = (text) => [...text.matchAll(word)].map((found) =>
    ({ start: found.index, end: found.index + found[0].length, folded: fold(found[0]) })).filter((each) => each.folded);
})();
