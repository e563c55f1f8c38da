import { t } from '@lingui/core/macro';
import { envLines, type Framework, serverEnvLines } from './framework.ts';

const next: Framework = {
  id: 'next',
  name: 'Next.js',
  packages: ['js', 'node', 'react', 'next'],
  create: 'npx create-next-app@latest my-app --yes --ts --app --no-src-dir\ncd my-app',
  env: {
    path: '.env.local',
    lines: serverEnvLines('NEXT_PUBLIC_'),
  },
  needsSecretKey: true,
  files: [
    {
      path: 'gatebook.ts',
      code: `import 'server-only';
import { GatebookServerApp } from '@gatebook/next';

export const gatebook = new GatebookServerApp();
`,
    },
    {
      path: 'proxy.ts',
      code: `import { createGatebookProxy } from '@gatebook/next/proxy';
import { gatebook } from './gatebook';

/** Visitors sign in first, and come back to the page that they asked for. */
export const proxy = createGatebookProxy(gatebook, { protect: ['/'] });
export const config = { matcher: '/((?!_next/|favicon.ico).*)' };
`,
    },
    {
      path: 'app/layout.tsx',
      code: `import { GatebookProvider } from '@gatebook/next';
import '@gatebook/react/styles.css';
import { type ReactNode, Suspense } from 'react';
import { gatebook } from '../gatebook';

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>
        <Suspense>
          <GatebookProvider app={gatebook}>{children}</GatebookProvider>
        </Suspense>
      </body>
    </html>
  );
}
`,
    },
    {
      path: 'app/handler/[...gatebook]/page.tsx',
      code: `import { GatebookHandler } from '@gatebook/next/handler';

export default function Handler() {
  return <GatebookHandler />;
}
`,
    },
    {
      path: 'app/page.tsx',
      code: `import { gatebook } from '../gatebook';

export default async function Home() {
  const user = await gatebook.getUser({ or: 'redirect' });
  return (
    <p>
      Signed in as {user.primaryEmail}. <a href="/handler/sign-out">Sign out</a>
    </p>
  );
}
`,
    },
  ],
  run: ['npm run dev'],
  outcome: t`Open the printed address, click Sign up, and create an account.`,
};

const express: Framework = {
  id: 'express',
  name: 'Express',
  packages: ['js', 'node'],
  create: 'mkdir my-api && cd my-api && npm init -y',
  needs: 'express',
  env: { path: '.env', lines: envLines() },
  files: [
    {
      path: 'server.mjs',
      code: `import { getUser, requireUser } from '@gatebook/node/express';
import express from 'express';

const { GATEBOOK_API_URL, GATEBOOK_PROJECT_ID, PORT = '3000' } = process.env;
const options = { baseUrl: GATEBOOK_API_URL, projectId: GATEBOOK_PROJECT_ID };

const app = express();
app.get('/me', requireUser(options), (request, response) => {
  response.json({ email: getUser(request).email });
});
app.listen(PORT, () => console.log(\`http://localhost:\${PORT}\`));
`,
    },
    {
      path: 'sign-up.mjs',
      code: `import { GatebookClientApp } from '@gatebook/js';

const {
  GATEBOOK_API_URL,
  GATEBOOK_PROJECT_ID,
  GATEBOOK_PUBLISHABLE_CLIENT_KEY,
  PORT = '3000',
} = process.env;
const gatebook = new GatebookClientApp({
  baseUrl: GATEBOOK_API_URL,
  projectId: GATEBOOK_PROJECT_ID,
  publishableClientKey: GATEBOOK_PUBLISHABLE_CLIENT_KEY,
  tokenStore: 'memory',
});

const result = await gatebook.signUpWithCredential({
  email: 'ann@mail.example',
  password: 'a long passphrase',
  noRedirect: true,
  noVerificationCallback: true,
});
if (result.status === 'error') throw result.error;

const accessToken = await gatebook.getAccessToken();
const answer = await fetch(\`http://localhost:\${PORT}/me\`, { headers: { authorization: \`Bearer \${accessToken}\` } });
console.log(await answer.json());
`,
    },
  ],
  run: ['node --env-file=.env server.mjs &', 'node --env-file=.env sign-up.mjs'],
  outcome: t`The second program signs up a user and calls your server with the access token.`,
};

const python: Framework = {
  id: 'python',
  name: 'Python',
  packages: [],
  env: { path: '.env', lines: serverEnvLines() },
  needsSecretKey: true,
  files: [
    {
      path: 'sign_up.py',
      code: `import json, os, urllib.request

def gatebook(method, path, body=None):
    """Calls the API as a server."""
    request = urllib.request.Request(
        os.environ["GATEBOOK_API_URL"] + "/api/v1" + path,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={
            "content-type": "application/json",
            "x-stack-access-type": "server",
            "x-stack-project-id": os.environ["GATEBOOK_PROJECT_ID"],
            "x-stack-secret-server-key": os.environ["GATEBOOK_SECRET_SERVER_KEY"],
        },
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)

tokens = gatebook("POST", "/auth/password/sign-up", {"email": "ann@mail.example", "password": "a long passphrase"})
user = gatebook("GET", "/users/" + tokens["user_id"])
print("Signed up:", user["primary_email"])
`,
    },
  ],
  run: ['set -a && . ./.env && set +a', 'python3 sign_up.py'],
  outcome: t`The program signs up a user. Read users and check their access tokens in the same way.`,
};

const go: Framework = {
  id: 'go',
  name: 'Go',
  packages: [],
  env: { path: '.env', lines: serverEnvLines() },
  needsSecretKey: true,
  files: [
    {
      path: 'main.go',
      code: `package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
)

// call calls the API as a server.
func call(method, path string, body, result any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequest(method, os.Getenv("GATEBOOK_API_URL")+"/api/v1"+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	request.Header.Set("content-type", "application/json")
	request.Header.Set("x-stack-access-type", "server")
	request.Header.Set("x-stack-project-id", os.Getenv("GATEBOOK_PROJECT_ID"))
	request.Header.Set("x-stack-secret-server-key", os.Getenv("GATEBOOK_SECRET_SERVER_KEY"))
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode >= 300 {
		return fmt.Errorf("%s answered %s", path, answer.Status)
	}
	return json.NewDecoder(answer.Body).Decode(result)
}

func main() {
	var tokens struct {
		UserID string \`json:"user_id"\`
	}
	account := map[string]string{"email": "ann@mail.example", "password": "a long passphrase"}
	if err := call("POST", "/auth/password/sign-up", account, &tokens); err != nil {
		log.Fatal(err)
	}
	fmt.Println("Signed up:", tokens.UserID)
}
`,
    },
  ],
  run: ['set -a && . ./.env && set +a', 'go run main.go'],
  outcome: t`The program signs up a user. Read users and check their access tokens in the same way.`,
};

const curl: Framework = {
  id: 'curl',
  name: 'curl',
  packages: [],
  env: { path: '.env', lines: envLines() },
  files: [
    {
      path: 'sign-up.sh',
      code: `curl -s "$GATEBOOK_API_URL/api/v1/auth/password/sign-up" \\
  -H "content-type: application/json" \\
  -H "x-stack-access-type: client" \\
  -H "x-stack-project-id: $GATEBOOK_PROJECT_ID" \\
  -H "x-stack-publishable-client-key: $GATEBOOK_PUBLISHABLE_CLIENT_KEY" \\
  -d '{"email":"ann@mail.example","password":"a long passphrase"}'
`,
    },
  ],
  run: ['set -a && . ./.env && set +a', 'sh sign-up.sh'],
  outcome: t`The response has the tokens of the new user.`,
};

export const serverFrameworks = { next, express, python, go, curl };
