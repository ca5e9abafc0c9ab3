// Fetches frames in a thread of its own: taking in megabytes would keep the page from drawing.

onmessage = async ({ data: { number, path } }) => {
  try {
    const response = await fetch(path);
    if (!response.ok) throw new Error((await response.text()).trim() || response.statusText);
    const buffer = await response.arrayBuffer();
    postMessage({ number, buffer }, [buffer]); // handed over, not copied
  } catch (error) {
    postMessage({ number, error: error.message });
  }
};
