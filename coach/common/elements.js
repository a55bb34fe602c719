// Makes the parts of a page. Text enters a page only as text nodes.

const NUMBERS = new Intl.NumberFormat("en-US");
export const number = (value) => NUMBERS.format(value);
export const counted = (value, noun) => `${number(value)} ${noun}${value === 1 ? "" : "s"}`;

// Makes an element with attributes, listeners (onclick, ...) and children; strings become text.
export function el(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "value" || key === "checked" || key === "selected") element[key] = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  return fill(element, children);
}

// Gives an element new children in place of those that it has; null, undefined and false are none.
export function fill(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const note = (...content) => el("p", { class: "note" }, content);
export const button = (text, onclick) => el("button", { type: "button", onclick }, text);
