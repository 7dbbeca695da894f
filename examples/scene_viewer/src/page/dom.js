// Elements, and their words.

const $ = id => document.getElementById(id);
const element = (tag, text) => Object.assign(document.createElement(tag), { textContent: text });
const counted = (number, one, many = `${one}s`) => `${number} ${number === 1 ? one : many}`;
