/** A function that checks the signature of a delivery with a language's own library (Standard Webhooks 1.0). */
export type Example = { language: string; file: string; code: string };

const node = `import { createHmac, timingSafeEqual } from 'node:crypto';

/** @param body the bytes as they arrived, before any JSON parser */
export function verify(secret, headers, body) {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) throw new Error('too old');
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const expected = createHmac('sha256', key).update(\`\${id}.\${timestamp}.\`).update(body).digest();
  const isValid = headers['webhook-signature'].split(' ').some((signature) => {
    const [version, text = ''] = signature.split(',');
    const given = Buffer.from(text, 'base64');
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!isValid) throw new Error('wrong signature');
  return JSON.parse(body.toString());
}
`;

const python = `import base64, hashlib, hmac, json, time

def verify(secret: str, headers: dict, body: bytes) -> dict:
    """body: the bytes as they arrived, before any JSON parser"""
    id, timestamp = headers["webhook-id"], headers["webhook-timestamp"]
    if abs(time.time() - int(timestamp)) > 300:
        raise ValueError("too old")
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{id}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    signatures = headers["webhook-signature"].split(" ")
    if not any(hmac.compare_digest(signature, expected) for signature in signatures):
        raise ValueError("wrong signature")
    return json.loads(body)
`;

const go = `package webhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Verify checks the bytes as they arrived, before any JSON parser.
func Verify(secret string, headers http.Header, body []byte) error {
	id, timestamp := headers.Get("webhook-id"), headers.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || math.Abs(time.Since(time.Unix(seconds, 0)).Seconds()) > 300 {
		return errors.New("too old")
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return err
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, signature := range strings.Split(headers.Get("webhook-signature"), " ") {
		if hmac.Equal([]byte(signature), []byte(expected)) {
			return nil
		}
	}
	return errors.New("wrong signature")
}
`;

const ruby = `require 'base64'
require 'json'
require 'openssl'

# body: the bytes as they arrived, before any JSON parser
def verify(secret, headers, body)
  id, timestamp = headers.values_at('webhook-id', 'webhook-timestamp')
  raise 'too old' if (Time.now.to_i - Integer(timestamp)).abs > 300
  key = Base64.strict_decode64(secret.delete_prefix('whsec_'))
  mac = OpenSSL::HMAC.digest('SHA256', key, "#{id}.#{timestamp}.#{body}")
  expected = "v1,#{Base64.strict_encode64(mac)}"
  signatures = headers['webhook-signature'].split(' ')
  raise 'wrong signature' unless signatures.any? { |given| OpenSSL.secure_compare(given, expected) }
  JSON.parse(body)
end
`;

const php = `<?php

/** @param string $body the bytes as they arrived, before any JSON parser */
function verify(string $secret, array $headers, string $body): array {
    $id = $headers['webhook-id'];
    $timestamp = $headers['webhook-timestamp'];
    if (abs(time() - (int) $timestamp) > 300) {
        throw new Exception('too old');
    }
    $key = base64_decode(substr($secret, strlen('whsec_')));
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    foreach (explode(' ', $headers['webhook-signature']) as $signature) {
        if (hash_equals($expected, $signature)) {
            return json_decode($body, true);
        }
    }
    throw new Exception('wrong signature');
}
`;

export const examples: readonly Example[] = [
  { language: 'Node.js', file: 'verify.mjs', code: node },
  { language: 'Python', file: 'verify.py', code: python },
  { language: 'Go', file: 'verify.go', code: go },
  { language: 'Ruby', file: 'verify.rb', code: ruby },
  { language: 'PHP', file: 'verify.php', code: php },
];
