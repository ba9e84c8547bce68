"""Class names by the role of an element: conventional ones, and ones that say nothing. Data only."""

from __future__ import annotations

NAMES = {
    "top": "topbar top-bar header-top site-top toolbar top_box topline head-info",
    "head": "header masthead site-header hd logo banner head branding page-header",
    "nav": "nav navbar main-nav menu navigation topmenu daohang dh nav_box mainnav primary-menu navMain",
    "drop": "dropdown submenu sub-menu nav-sub second erji child",
    "crumb": "breadcrumb crumbs path location position weizhi where local bread",
    "slide": "slider carousel swiper focus banner slideshow flexslider jdt lunbo hero",
    "main": "main content primary main-content container left leftcol zuo col-main page-body wrapper lf",
    "side": "sidebar side aside right rightbar widget-area you secondary col-side rt panel",
    "box": "box block module widget panel section mod column part1 modbox news-box area k1 tile",
    "caption": "title hd tit mod-title block-title heading section-title bt biaoti widget-title",
    "list": "list news-list newslist posts articles items ul-list lb article-list entries feed xwlb txt-list",
    "row": "item post entry card news-item article li-item clearfix teaser media-body story row",
    "hot": "rank hot paihang top10 popular most-read trending ph tuijian recommend widget_recent",
    "tags": "tags tagcloud tag-list labels keywords biaoqian cloud topics",
    "months": "archives archive monthly timeline gd history",
    "cats": "categories category-list cats fenlei lm column-nav",
    "friends": "friendlinks links blogroll friend-link yqlj flink partners",
    "ads": "ad ads banner-ad guanggao gg sponsor promo adbox",
    "service": "service quick-links shortcuts kstd bmfw fw icons entry-box quick",
    "staff": "team staff teachers szdw people persons ms",
    "files": "download downloads files xz attachments",
    "comments": "comments recent-comments replies pl latest-replies",
    "pager": "pages pagination pager page-nav fenye pagelist pagenavi wp-pagenavi turn",
    "foot": "footer foot copyright bottom ft site-footer dibu",
    "meta": "meta info date time byline post-meta post-info source",
    "more": "more more-link readmore btn btn-more gd",
    "thread": "threadlist topic-list topics tl forum-list discussions",
    "text": "summary excerpt intro desc text entry-content description zy",
}
PLAIN = "wrap w1000 con con2 fl fr cl clear inner bd m-t10 c01 line d1 bg auto wp pic_txt zz main_l cont left_box hs area2".split()
UTILITY = "flex flex-col md:w-1/2 px-4 py-2 text-sm grid gap-6 mt-8 hover:underline font-bold items-center max-w-7xl mx-auto col-12 row pb-3 d-flex".split()
TAGS = {
    "top": "div",
    "head": "header",
    "nav": "nav",
    "crumb": "nav",
    "main": "main",
    "side": "aside",
    "foot": "footer",
    "box": "section",
    "pager": "nav",
    "row": "article",
}
"""Elements that say what the role is, where a site uses them."""
