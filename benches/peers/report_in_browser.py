"""Opens pages of `bunraku report` in headless Chromium: loads, plays, scrubs, zooms, hides a curve and turns the camera.

    python3 -m venv ~/browser && ~/browser/bin/pip install playwright
    apt-get install chromium
    bunraku report out/rover && ~/browser/bin/python benches/peers/report_in_browser.py rover.html …

Prints for each page its size, the time until it is shown and the frames drawn while it plays for a second, and writes a
picture beside it. Without a graphics card the pictures are drawn by SwiftShader. The exit code is 1 if anything fails:
an error or a warning of the page, a request for another file, or a picture that does not change.
"""

import pathlib
import shutil
import sys
import time

from playwright.sync_api import sync_playwright

FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]


def check(page, path):
    faults = []
    page.on("console", lambda message: faults.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("request", lambda request: None if request.url.startswith(("file:", "blob:")) else faults.append(request.url))
    begun = time.monotonic()
    page.goto(path.resolve().as_uri())
    page.wait_for_function("document.body.dataset.frames > 0 || !document.getElementById('fault').hidden", timeout=60_000)
    loaded = time.monotonic() - begun
    faults += [page.inner_text("#fault")] if page.is_visible("#fault") else []
    shown = lambda: page.locator("#view").screenshot()
    now = lambda: float(page.inner_text("#time").split()[0])
    # The frame after the next one has been drawn.
    settle = lambda: page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))")
    end = float(page.get_attribute("#scrub", "max"))

    # Measured in the page, since clicks from outside wait for frames on a busy machine.
    played, drawn = page.evaluate("""async () => {
        const [play, drawn] = [document.getElementById('play'), () => Number(document.body.dataset.frames)];
        const [begun, before] = [performance.now(), drawn()];
        play.click();
        await new Promise(done => setTimeout(done, Math.min(1000, 500 * document.getElementById('scrub').max)));
        play.click();
        return [(performance.now() - begun) / 1000, drawn() - before];
    }""")
    # The first frame may begin before the click.
    if not 0.0 < now() <= played + 0.5:
        faults.append(f"after {played:.2f} s of playing it shows {now()} s")

    scrub = "time => { const scrub = document.getElementById('scrub'); scrub.value = time; scrub.dispatchEvent(new Event('input')); }"
    page.evaluate(scrub, 0.6 * end)
    settle()
    if abs(now() - 0.6 * end) > 1e-3:
        faults.append(f"scrubbed to {0.6 * end} s, it shows {now()} s")
    first = shown()
    box = page.locator("#scene").bounding_box()
    page.mouse.move(box["x"] + 200, box["y"] + 100)
    page.mouse.down()
    page.mouse.move(box["x"] + 350, box["y"] + 120, steps=4)
    page.mouse.up()
    settle()
    if shown() == first:
        faults.append("the camera does not turn")

    panel = page.locator(".panel canvas").first
    # A click in a plot sets the time.
    area = panel.bounding_box()
    panel.click(position={"x": 58 + 0.25 * (area["width"] - 74), "y": 60})
    settle()
    if abs(now() / end - 0.25) > 0.02:
        faults.append(f"a click at a quarter of a plot shows {now()} s of {end} s")
    plot = panel.screenshot()
    panel.hover(position={"x": 200, "y": 60})
    page.mouse.wheel(0, -400)
    settle()
    if panel.screenshot() == plot:
        faults.append("the wheel does not zoom")
    panel.dblclick(position={"x": 58 + 0.25 * (area["width"] - 74), "y": 60})
    settle()
    full = panel.screenshot()
    # Curves may lie on each other.
    entries = page.locator(".panel").first.locator(".legend button").all()
    for entry in entries:
        entry.click()
    if panel.screenshot() == full:
        faults.append("curves are not hidden")
    for entry in entries:
        entry.click()
    page.check("#names")
    settle()
    page.screenshot(path=path.with_suffix(".png"))
    print(f"{path.name:28} {path.stat().st_size / 1e6:6.2f} MB  {loaded:5.2f} s  {drawn:3} frames", *faults, sep="  ")
    return not faults


if __name__ == "__main__":
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        good = True
        for name in sys.argv[1:]:
            page = browser.new_page(viewport={"width": 1300, "height": 850})
            good &= check(page, pathlib.Path(name))
            page.close()
        browser.close()
    sys.exit(not good)
