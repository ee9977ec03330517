export const descriptor = { description: "wide", roles: {} };
export const run = async function* () {
		const 名前 = "👩‍🚀 é 日本"; await import("a\\u200b"); /* [31m ‮ */
};import "b";
