import fs, { promises } from 'fs';
import 'node:process';

function getDefaultExportFromCjs (x) {
	return x && x.__esModule && Object.prototype.hasOwnProperty.call(x, 'default') ? x['default'] : x;
}

function commonjsRequire(path) {
	throw new Error('Could not dynamically require "' + path + '".');
}

var lib = {};

(function (exports) {
	exports.load = function (require) {
		return require('shadowed by the parameter');
	};
	exports.module = { require: commonjsRequire, import: () => 1 };
	exports.module.require('a member');
} (lib));

class Runner {
	async *steps (thread) {
		yield { role: 'a', contentHash: thread.threadId, meta: {}, refs: [] };
	}
}

const runner = /*#__PURE__*/ new Runner();
const run = runner.steps.bind(runner);
const descriptor = Object.freeze({ description: 'rollup', roles: {} });

export { descriptor, getDefaultExportFromCjs, promises, run, fs as system };
