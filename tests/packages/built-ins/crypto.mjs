import crypto, { webcrypto } from "node:crypto";
import { promisify } from "node:util";
import { caught } from "../workflow.mjs";

const text = "the quick brown fox ü";
const hex = (bytes) => Buffer.from(bytes).toString("hex");

export default {
  async "hashes"(print) {
    for (const name of ["md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha512-256", "sha3-256", "ripemd160", "blake2b512", "blake2s256", "SHA256", "RSA-SHA256"]) {
      print(name, crypto.createHash(name).update(text).digest("hex"), crypto.createHmac(name, "key").update(text).digest("base64url"));
    }
    const hash = crypto.createHash("sha256").update("a");
    const copy = hash.copy();
    print(hash.update("b").digest("latin1").length, copy.digest("base64"), await caught(() => hash.update("c")), await caught(() => hash.digest()), (await caught(() => crypto.createHash("none"))).startsWith("Error: Digest method not supported"), crypto.createHash("shake256", { outputLength: 5 }).update("").digest("hex"), crypto.getHashes().length > 10, crypto.createHash("sha1").update(Buffer.from("6162", "hex")).update("ü", "latin1").digest("hex"));
    const stream = crypto.createHash("sha256");
    stream.write("streamed");
    stream.end();
    print(stream.read().toString("hex"), hex(crypto.hkdfSync("sha256", "k", "s", "i", 10)), crypto.timingSafeEqual(Buffer.from("a"), Buffer.from("a")), await caught(() => crypto.timingSafeEqual(Buffer.from("a"), Buffer.from("ab"))));
  },
  async "random"(print) {
    print(crypto.randomBytes(8).length, crypto.randomUUID().length, new Set(Array.from({ length: 100 }, () => crypto.randomInt(5))).size, crypto.randomInt(3, 4), (await promisify(crypto.randomBytes)(4)).length, crypto.getRandomValues(new Uint8Array(4)).length, crypto.randomFillSync(Buffer.alloc(3)).length, await promisify(crypto.randomInt)(1), await caught(() => crypto.randomInt(-1)), await caught(() => crypto.randomBytes(-1)));
  },
  async "keys from passwords"(print) {
    print(crypto.pbkdf2Sync("pw", "salt", 1000, 16, "sha512").toString("hex"), crypto.scryptSync("pw", "salt", 16, { N: 1024 }).toString("hex"), (await promisify(crypto.pbkdf2)("pw", "salt", 10, 8, "sha1")).toString("hex"), (await promisify(crypto.scrypt)("pw", "salt", 8)).toString("hex"), hex(await promisify(crypto.hkdf)("sha512", "k", "s", "", 4)));
  },
  async "ciphers"(print) {
    const key = Buffer.alloc(32, 7);
    for (const [name, size, ivSize] of [["aes-256-cbc", 32, 16], ["aes-128-cbc", 16, 16], ["aes-256-ctr", 32, 16], ["aes-128-ecb", 16, 0]]) {
      const iv = ivSize ? Buffer.alloc(ivSize, 3) : null;
      const cipher = crypto.createCipheriv(name, key.subarray(0, size), iv);
      const sealed = cipher.update(text, "utf8", "hex") + cipher.final("hex");
      const decipher = crypto.createDecipheriv(name, key.subarray(0, size), iv);
      print(name, sealed, decipher.update(sealed, "hex", "utf8") + decipher.final("utf8"));
    }
    for (const name of ["aes-256-gcm", "aes-128-gcm", "chacha20-poly1305"]) {
      const size = name.includes("128") ? 16 : 32;
      const cipher = crypto.createCipheriv(name, key.subarray(0, size), Buffer.alloc(12, 1), { authTagLength: 16 });
      cipher.setAAD(Buffer.from("aad"), { plaintextLength: Buffer.byteLength(text) });
      const sealed = Buffer.concat([cipher.update(text), cipher.final()]);
      const tag = cipher.getAuthTag();
      const open = (tag) => { const it = crypto.createDecipheriv(name, key.subarray(0, size), Buffer.alloc(12, 1), { authTagLength: 16 }); it.setAAD(Buffer.from("aad"), { plaintextLength: sealed.length }); it.setAuthTag(tag); return it.update(sealed, undefined, "utf8") + it.final("utf8") };
      print(name, sealed, tag, open(tag), (await caught(() => open(Buffer.alloc(16)))).includes("authenticate"));
    }
    print(await caught(() => crypto.createCipheriv("aes-256-cbc", Buffer.alloc(3), Buffer.alloc(16))), await caught(() => crypto.createCipheriv("none", key, null)), crypto.getCiphers().includes("aes-256-gcm"));
  },
  async "signatures and key pairs"(print) {
    const rsa = crypto.generateKeyPairSync("rsa", { modulusLength: 2048, publicKeyEncoding: { type: "spki", format: "pem" }, privateKeyEncoding: { type: "pkcs8", format: "pem" } });
    const signature = crypto.createSign("RSA-SHA256").update(text).sign(rsa.privateKey, "base64");
    print(crypto.createVerify("RSA-SHA256").update(text).verify(rsa.publicKey, signature, "base64"), crypto.createVerify("sha256").update("other").verify(rsa.publicKey, signature, "base64"), rsa.publicKey.split("\n")[0]);
    const sealed = crypto.publicEncrypt({ key: rsa.publicKey, oaepHash: "sha256" }, Buffer.from("secret"));
    print(crypto.privateDecrypt({ key: rsa.privateKey, oaepHash: "sha256" }, sealed).toString());
    const ed = crypto.generateKeyPairSync("ed25519");
    const signed = crypto.sign(null, Buffer.from(text), ed.privateKey);
    print(signed.length, crypto.verify(null, Buffer.from(text), ed.publicKey, signed), ed.publicKey.asymmetricKeyType, ed.publicKey.export({ format: "jwk" }).crv, ed.privateKey.type);
    const ec = await promisify(crypto.generateKeyPair)("ec", { namedCurve: "P-256" });
    const both = crypto.sign("sha256", Buffer.from(text), { key: ec.privateKey, dsaEncoding: "ieee-p1363" });
    print(both.length, crypto.verify("sha256", Buffer.from(text), { key: ec.publicKey, dsaEncoding: "ieee-p1363" }, both));
    const secret = crypto.createSecretKey(Buffer.from("k"));
    print(secret.type, secret.symmetricKeySize, secret.export(), crypto.createPublicKey(rsa.privateKey).asymmetricKeyDetails.modulusLength, crypto.createPrivateKey(rsa.privateKey).type);
    const [alice, bob] = [crypto.createECDH("secp256k1"), crypto.createECDH("secp256k1")];
    alice.generateKeys(); bob.generateKeys();
    print(alice.computeSecret(bob.getPublicKey()).equals(bob.computeSecret(alice.getPublicKey())));
    const x = crypto.generateKeyPairSync("x25519"), y = crypto.generateKeyPairSync("x25519");
    print(crypto.diffieHellman({ privateKey: x.privateKey, publicKey: y.publicKey }).length, await caught(() => crypto.createPublicKey("nonsense")).then((text) => !text.startsWith("no error")));
  },
  async "web crypto"(print) {
    const { subtle } = webcrypto;
    print(hex(await subtle.digest("SHA-256", new TextEncoder().encode(text))), globalThis.crypto.subtle !== undefined, crypto.subtle !== undefined);
    const key = await subtle.importKey("raw", Buffer.alloc(32, 1), { name: "HMAC", hash: "SHA-256" }, true, ["sign", "verify"]);
    const signature = await subtle.sign("HMAC", key, Buffer.from(text));
    print(hex(signature), await subtle.verify("HMAC", key, signature, Buffer.from(text)));
    const aes = await subtle.importKey("raw", Buffer.alloc(16, 2), "AES-GCM", false, ["encrypt", "decrypt"]);
    const sealed = await subtle.encrypt({ name: "AES-GCM", iv: Buffer.alloc(12) }, aes, Buffer.from(text));
    print(hex(sealed), Buffer.from(await subtle.decrypt({ name: "AES-GCM", iv: Buffer.alloc(12) }, aes, sealed)).toString());
    const pair = await subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);
    print(pair.publicKey.algorithm.name, (await subtle.exportKey("jwk", pair.publicKey)).kty, await caught(() => subtle.exportKey("raw", aes)).then((text) => /^InvalidAccess/.test(text)));
    const derived = await subtle.deriveBits({ name: "PBKDF2", hash: "SHA-256", salt: Buffer.from("s"), iterations: 10 }, await subtle.importKey("raw", Buffer.from("pw"), "PBKDF2", false, ["deriveBits"]), 64);
    print(hex(derived));
  },
};
