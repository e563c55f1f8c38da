import type { CpuProfile } from './profile-groups.ts';

const samplingMicroseconds = 500;

type Reply = { id: number; result?: unknown; error?: { message: string } };

/** Connects to the inspector of a process that was started with `--inspect=127.0.0.1:<port>`. */
export async function openProfiler(port: number) {
  const list = await fetch(`http://127.0.0.1:${port}/json/list`);
  const [target] = (await list.json()) as { webSocketDebuggerUrl: string }[];
  if (!target) throw new Error('the process cannot be inspected');
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve(), { once: true });
    socket.addEventListener('error', () => reject(new Error('the inspector is out of reach')), { once: true });
  });
  let last = 0;
  const call = (method: string, params: object = {}): Promise<unknown> => {
    last += 1;
    const id = last;
    return new Promise((resolve, reject) => {
      const listen = ({ data }: MessageEvent) => {
        const reply = JSON.parse(String(data)) as Reply;
        if (reply.id !== id) return;
        socket.removeEventListener('message', listen);
        if (reply.error) reject(new Error(reply.error.message));
        else resolve(reply.result);
      };
      socket.addEventListener('message', listen);
      socket.send(JSON.stringify({ id, method, params }));
    });
  };
  await call('Profiler.enable');
  await call('Profiler.setSamplingInterval', { interval: samplingMicroseconds });
  return {
    start: () => call('Profiler.start'),
    stop: async () => ((await call('Profiler.stop')) as { profile: CpuProfile }).profile,
    close: () => socket.close(),
  };
}
