export default {
  lock: {
    input: process.env.SPEC,
    output: { target: 'client.ts', client: 'fetch', baseUrl: process.env.BASE_URL },
  },
};
