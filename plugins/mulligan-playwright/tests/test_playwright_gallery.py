"""The package's part of the gallery."""

import mulligan_playwright
import pytest
from mulligan_testkit.gallery import Gallery, GalleryFailure


class TestGallery(Gallery):
    title = "Playwright"
    plugin = mulligan_playwright
    packages = ("playwright",)

    @pytest.fixture
    def shown(self, page, nobody):
        def covered():
            page.evaluate("cover.style.display = 'block'")
            page.click("#under")

        return [
            GalleryFailure("An element that is not there", "click", {"selector": "#none"}, lambda: page.click("#none")),
            GalleryFailure("Several elements", "click", {"selector": "button"}, lambda: page.locator("button").click()),
            GalleryFailure("An element that is disabled", "click", {"selector": "#off"}, lambda: page.click("#off")),
            GalleryFailure("An element below another one", "click", {"selector": "#under"}, covered),
            GalleryFailure(
                "A selector that cannot be read", "click", {"selector": "div[["}, lambda: page.click("div[[")
            ),
            GalleryFailure("An address where nobody answers", "open_page", {"url": nobody}, lambda: page.goto(nobody)),
        ]
