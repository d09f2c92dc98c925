// Unpacks pages and data of the static site: base64, within it raw DEFLATE (RFC 1951), within it UTF-8.
// It does so at once, so that a packed page is read like any other: what is written here, the browser
// goes on to read, with its scripts and the place that the address names.
"use strict";
(() => {
  // A Huffman code by the lengths of its codes (section 3.2.2): how many there are of each length,
  // and the symbols in order of code.
  const counted = (lengths) => {
    const counts = new Uint16Array(16), starts = new Uint16Array(16), symbols = new Uint16Array(lengths.length);
    for (const length of lengths) if (length) counts[length] += 1;
    for (let i = 1; i < 16; i += 1) starts[i] = starts[i - 1] + counts[i - 1];
    lengths.forEach((length, symbol) => { if (length) symbols[starts[length]++] = symbol; });
    return { counts, symbols };
  };
  const bases = (extras, first) => extras.map((_, i) => first + extras.slice(0, i).reduce((sum, bits) => sum + (1 << bits), 0));
  const lengthBits = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
  const lengthBases = [...bases(lengthBits.slice(0, 28), 3), 258];
  const wayBits = [0, 0, 0, 0, ...Array.from({ length: 26 }, (_, i) => (i >> 1) + 1)], wayBases = bases(wayBits, 1);
  // In this order the lengths of the codes of code lengths are written (section 3.2.7).
  const order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
  const fixed = [
    counted(Array.from({ length: 288 }, (_, i) => (i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8))),
    counted(new Array(30).fill(5)),
  ];

  const inflate = (data) => {
    let out = new Uint8Array(data.length * 12), size = 0, at = 0, held = 0, n = 0;
    const room = (more) => {
      if (size + more <= out.length) return;
      const larger = new Uint8Array(2 * (size + more));
      larger.set(out);
      out = larger;
    };
    const bits = (wanted) => {
      // Never more than 13 bits are wanted, so 32 hold all.
      while (n < wanted) { held |= data[at++] << n; n += 8; }
      const value = held & ((1 << wanted) - 1);
      held >>>= wanted;
      n -= wanted;
      return value;
    };
    const symbol = ({ counts, symbols }) => {
      for (let length = 1, code = 0, first = 0, index = 0; length < 16; length += 1) {
        // Bit by bit: codes of one length are consecutive, so `code - first` counts up to `count`.
        code |= bits(1);
        const count = counts[length];
        if (code - count < first) return symbols[index + code - first];
        index += count;
        first = (first + count) << 1;
        code <<= 1;
      }
      throw new Error("The compressed page is damaged.");
    };
    const tables = () => {
      const literals = bits(5) + 257, ways = bits(5) + 1, given = new Array(19).fill(0);
      for (let i = 0, count = bits(4) + 4; i < count; i += 1) given[order[i]] = bits(3);
      const codes = counted(given), lengths = [];
      while (lengths.length < literals + ways) {
        const code = symbol(codes);
        if (code < 16) { lengths.push(code); continue; }
        const value = code === 16 ? lengths.at(-1) : 0;
        const times = code === 16 ? 3 + bits(2) : code === 17 ? 3 + bits(3) : 11 + bits(7);
        for (let i = 0; i < times; i += 1) lengths.push(value);
      }
      return [counted(lengths.slice(0, literals)), counted(lengths.slice(literals))];
    };
    const block = ([literals, ways]) => {
      for (;;) {
        const code = symbol(literals);
        // The end of the block.
        if (code === 256) return;
        if (code < 256) { room(1); out[size++] = code; continue; }
        const length = lengthBases[code - 257] + bits(lengthBits[code - 257]), way = symbol(ways);
        const back = wayBases[way] + bits(wayBits[way]);
        room(length);
        // Byte by byte: what is copied may overlap what it is copied to, which repeats it.
        for (let i = 0; i < length; i += 1, size += 1) out[size] = out[size - back];
      }
    };
    for (let last = 0; !last;) {
      last = bits(1);
      const kind = bits(2);
      if (kind === 1) block(fixed);
      else if (kind === 2) block(tables());
      else {
        // A block that is stored as it is begins at a whole byte, with its length, twice.
        held = n = 0;
        const length = data[at] | (data[at + 1] << 8);
        room(length);
        out.set(data.subarray(at + 4, at + 4 + length), size);
        at += 4 + length;
        size += length;
      }
    }
    return out.subarray(0, size);
  };

  window.unpack = (text) => new TextDecoder().decode(inflate(Uint8Array.from(atob(text), (each) => each.charCodeAt(0))));
  const packed = document.getElementById("packed");
  if (!packed) return;
  const page = window.unpack(packed.textContent);
  packed.remove();
  // While the page is still being read, so that it goes on as if it had come unpacked.
  document.write(page);
})();
